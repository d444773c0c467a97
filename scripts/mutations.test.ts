import { expect, test } from 'vitest';
import { mutate, mutationsOf } from './mutations.ts';

const mutants = (text: string) => mutationsOf(text).map((mutation) => mutate(text, mutation));

test.each([
  ['a === b', ['a !== b']],
  ['a < b && c', ['a < b || c', 'a >= b && c']],
  ['a + 1', ['a - 1']],
  ["a + 'text'", []],
  ['await work()', ['work()']],
  ['!isGood', ['isGood']],
  ['run({ quick: true })', ['run({ quick: false })']],
  ['if (isBad) stop()', ['if (false) stop()']],
  ['type Flag = true | false; interface A { is: true }', []],
])('%s has the mutants %j', (text, expected) => {
  expect(mutants(text)).toEqual(expected);
});

test('a mutation has its line and its text before and after', () => {
  expect(mutationsOf('one();\nawait two();')).toEqual([{ start: 7, end: 13, line: 2, before: 'await ', after: '' }]);
});
