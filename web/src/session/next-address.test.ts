import { expect, test } from 'vitest';
import { nextAddress, signInPath } from './next-address.ts';

const searchOf = (path: string) => path.slice(path.indexOf('?') + 1);

test('a sign-in leads back to the address that the person wanted', () => {
  expect(nextAddress(searchOf(signInPath('/t/12?status=open&tags=a%26b')))).toBe('/t/12?status=open&tags=a%26b');
  expect(signInPath('/')).toBe('/sign-in');
});

test.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '', '/\t/evil.example'])(
  'a sign-in never leads to %j',
  (next) => expect(nextAddress(new URLSearchParams({ next }).toString())).toBe('/'),
);
