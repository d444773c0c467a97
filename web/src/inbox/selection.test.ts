import { expect, test } from 'vitest';
import { extend, keepOnly, nothingSelected, selectAll, selectMatching, selectTo, toggle } from './selection.ts';

const order = ['a', 'b', 'c', 'd'];
const idsOf = ({ ids }: { ids: ReadonlySet<string> }) => [...ids].sort().join('');

test('toggling a ticket selects it, and toggling it again deselects it', () => {
  const selected = toggle(nothingSelected, 'b');
  expect(idsOf(selected)).toBe('b');
  expect(idsOf(toggle(selected, 'b'))).toBe('');
});

test.each([
  ['b', 'd', 'bcd'],
  ['d', 'b', 'bcd'],
  ['c', 'c', 'c'],
])('a range from %s to %s holds %s', (from, to, expected) => {
  expect(idsOf(selectTo(toggle(nothingSelected, from), order, to))).toBe(expected);
});

test('a range without a start, or from a ticket that left the list, has only its end', () => {
  expect(idsOf(selectTo(nothingSelected, order, 'c'))).toBe('c');
  expect(idsOf(selectTo({ ids: new Set(), anchor: 'gone' }, order, 'c'))).toBe('c');
});

test('steps extend the selection, and steps back shrink it', () => {
  const two = extend(nothingSelected, 'a', 'b');
  expect(idsOf(two)).toBe('ab');
  const three = extend(two, 'b', 'c');
  expect(idsOf(three)).toBe('abc');
  expect(idsOf(extend(three, 'c', 'b'))).toBe('ab');
});

test('selectAll selects all tickets, and keepOnly drops those that left the list', () => {
  const all = selectAll(order);
  expect(idsOf(all)).toBe('abcd');
  expect(idsOf(keepOnly(all, new Set(['b', 'x'])))).toBe('b');
  expect(keepOnly(all, new Set())).toBe(nothingSelected);
});

test('everything that matches stays selected as rows load, but for what is deselected', () => {
  const all = selectMatching(['a', 'b']);
  const without = toggle(keepOnly(all, new Set(order)), 'c');
  expect([...(without.except ?? [])]).toEqual(['c']);
  expect(idsOf(keepOnly(without, new Set([...order, 'e'])))).toBe('abde');
  expect([...(toggle(without, 'c').except ?? ['none'])]).toEqual([]);
  // All loaded tickets may be deselected: the rest still matches.
  expect(keepOnly(selectMatching([]), new Set()).except).toEqual(new Set());
});
