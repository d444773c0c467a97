import { expect, test } from 'vitest';
import { addressIn } from './token-address.ts';

const tokenOf = (claims: unknown) => {
  const bytes = new TextEncoder().encode(JSON.stringify(claims));
  const payload = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  return `e30.${payload}.x`;
};

test('the address of a token is read, whatever its letters', () => {
  expect(addressIn(tokenOf({ email: 'jörg?>~@bücher.example' }))).toBe('jörg?>~@bücher.example');
});

test.each(['', 'a.b', 'a.%%%.c', tokenOf(null), tokenOf({}), tokenOf({ email: 7 })])(
  'the token %j has no address',
  (token) => {
    expect(addressIn(token)).toBeUndefined();
  },
);
