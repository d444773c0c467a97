/**
 * Values between which parts of others are, interpolated as `percentile_cont` of PostgreSQL does. Sorts the values only
 * as far as that needs. Empty without values.
 */
export function quantilesOf(values: Int32Array, parts: readonly number[]): number[] {
  if (values.length === 0) return [];
  return parts.map((part) => {
    const place = part * (values.length - 1);
    const low = Math.floor(place);
    const value = selected(values, low);
    if (low === place) return value;
    let next = values[low + 1] ?? value;
    for (let index = low + 2; index < values.length; index++) next = Math.min(next, values[index] ?? next);
    return value + (next - value) * (place - low);
  });
}

/** The value that would stand at a place if all were sorted. All smaller ones are moved before it. */
function selected(values: Int32Array, place: number): number {
  const at = (index: number) => values[index] as number;
  let [first, last] = [0, values.length - 1];
  while (first < last) {
    const pivot = at((first + last) >> 1);
    let [low, high] = [first, last];
    while (low <= high) {
      while (at(low) < pivot) low++;
      while (at(high) > pivot) high--;
      if (low <= high) {
        const moved = at(low);
        values[low++] = at(high);
        values[high--] = moved;
      }
    }
    if (place <= high) last = high;
    else if (place >= low) first = low;
    else break;
  }
  return at(place);
}

/** Reads an array of integers without nulls as PostgreSQL writes it, such as `{1,-2}`. */
export function integersOf(text: string | null): Int32Array {
  if (text === null || text === '{}') return new Int32Array(0);
  const values = new Int32Array(text.length / 2);
  let [count, value, sign] = [0, 0, 1];
  for (let index = 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === minus) sign = -1;
    else if (code !== comma && code !== brace) value = value * 10 + code - zero;
    else {
      values[count++] = sign * value;
      [value, sign] = [0, 1];
    }
  }
  return values.subarray(0, count);
}

const [zero, minus, comma, brace] = [48, 45, 44, 125];
