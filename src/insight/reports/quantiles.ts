/**
 * Values between which parts of others are, interpolated as `percentile_cont` of PostgreSQL does. Empty without values.
 */
export function quantilesOf(values: Int32Array, parts: readonly number[]): number[] {
  if (values.length === 0) return [];
  const sorted = values.toSorted();
  return parts.map((part) => {
    const place = part * (sorted.length - 1);
    const low = Math.floor(place);
    const value = sorted[low] ?? 0;
    const next = sorted[low + 1] ?? value;
    return value + (next - value) * (place - low);
  });
}

/** Reads an array of integers without nulls as PostgreSQL writes it, such as `{1,-2}`. */
export function integersOf(text: string | null): Int32Array {
  return Int32Array.from(text === null ? [] : JSON.parse(`[${text.slice(1, -1)}]`));
}
