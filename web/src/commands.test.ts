import { expect, test } from 'vitest';
import { commands } from './commands.ts';

const bound = Object.values(commands).flatMap(({ keys }) => keys);

test('no two commands share a key', () => {
  expect(bound).toEqual([...new Set(bound)]);
});

test('no single key hides the sequences that begin with it', () => {
  const firstKeys = new Set(bound.filter((keys) => keys.includes(' ')).map((keys) => keys.split(' ')[0]));
  expect(bound.filter((keys) => firstKeys.has(keys))).toEqual([]);
});

test('no key of a browser is taken', () => {
  expect(bound.filter((keys) => /^\$mod\+[twnlr]$|Tab/i.test(keys))).toEqual([]);
});
