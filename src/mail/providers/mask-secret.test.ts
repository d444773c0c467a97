import { expect, test } from 'vitest';
import { maskSecret } from './mask-secret.ts';

// The length of the name decides whether the password's own base64 occurs in that of the whole sign-in.
test.each(['a', 'ab', 'abc'])('the sign-in of %s is masked whole', (username) => {
  const sent = Buffer.from(`\0${username}\0secret`).toString('base64').replace(/=+$/, '');
  const text = `refused: AUTH PLAIN ${sent}, secret, ${Buffer.from('secret').toString('base64')}`;
  expect(maskSecret(text, { username, secret: { password: 'secret' } })).toBe('refused: AUTH PLAIN …, …, …');
});
