import { isDeepStrictEqual } from 'node:util';

/** The names of the fields that hold something else than before. */
export function changedFields<After extends object>(before: Record<keyof After, unknown>, after: After): string[] {
  // Every name is one of `After`.
  const isChanged = ([field, value]: [string, unknown]) => !isDeepStrictEqual(value, before[field as keyof After]);
  return Object.entries(after)
    .filter(isChanged)
    .map(([field]) => field);
}
