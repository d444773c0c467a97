import { expect, test } from 'vitest';
import { listDefault, readList, standardLists, writeList } from './lists.ts';

test.each(standardLists)('the address of $name leads back to it', ({ parameters }) => {
  expect(readList(writeList(parameters))).toEqual(parameters);
});

test('an address without parameters is the list of open tickets', () => {
  expect(readList('')).toEqual(listDefault);
  expect(readList('utm=1&status=')).toEqual(listDefault);
});

test('a search keeps its words', () => {
  expect(readList(writeList({ search: '"a phrase" -not #12' }))).toEqual({ search: '"a phrase" -not #12' });
});
