import { isDeepStrictEqual } from 'node:util';

/** The names of the fields whose values changed. */
export function changedFields<After extends object>(before: Record<keyof After, unknown>, after: After): string[] {
  // The cast is safe: each name comes from `after`.
  const isChanged = ([field, value]: [string, unknown]) => !isDeepStrictEqual(value, before[field as keyof After]);
  return Object.entries(after)
    .filter(isChanged)
    .map(([field]) => field);
}
