import fc from 'fast-check';
import { expect, test } from 'vitest';
import { integersOf, quantilesOf } from './quantiles.ts';

const integers = fc.array(fc.oneof(fc.integer(), fc.integer({ min: 0, max: 3 })), { maxLength: 200 });

/** As PostgreSQL defines `percentile_cont`. */
function quantileOf(sorted: readonly number[], part: number): number {
  const place = part * (sorted.length - 1);
  const [low = 0, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

test('quantiles are those of the sorted values', () => {
  fc.assert(
    fc.property(integers, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (values, parts) => {
      const sorted = values.toSorted((one, other) => one - other);
      const expected = values.length === 0 ? [] : parts.map((part) => quantileOf(sorted, part));
      expect(quantilesOf(Int32Array.from(values), parts)).toEqual(expected);
    }),
  );
});

test('reads the arrays that PostgreSQL writes', () => {
  fc.assert(
    fc.property(integers, (values) => {
      expect([...integersOf(`{${values}}`)]).toEqual(values);
    }),
  );
  expect(integersOf(null)).toHaveLength(0);
});
