import { expect, test } from 'vitest';
import { addressesIn, isAddress, withAddresses } from './addresses.ts';

test.each([
  ['ann@example.org', ['ann@example.org']],
  ['Ann Example <ann@example.org>, bob@example.org;', ['ann@example.org', 'bob@example.org']],
  ['"Example, Ann" <ann@example.org>', ['ann@example.org']],
  ['mailto:ann@example.org', ['ann@example.org']],
  ['ann@example.org bob@example.org\ncem@example.org', ['ann@example.org', 'bob@example.org', 'cem@example.org']],
  ['Ann Example', ['Ann Example']],
  ['  ', []],
])('in %j are %j', (text, addresses) => {
  expect(addressesIn(text)).toEqual(addresses);
});

test('an address is in a list only once, whatever its case', () => {
  expect(withAddresses(['ann@example.org'], ['Ann@Example.org', 'bob@example.org'])).toEqual([
    'ann@example.org',
    'bob@example.org',
  ]);
});

test.each(['ann', 'ann@', '@example.org', 'a b@example.org', 'ann@example.org>'])('%j is not an address', (text) => {
  expect(isAddress(text)).toBe(false);
});
