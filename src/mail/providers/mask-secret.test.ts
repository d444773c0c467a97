import { expect, test } from 'vitest';
import { maskSecret } from './mask-secret.ts';

// The length of the name decides whether the password's own base64 occurs in that of the whole sign-in.
test.each(['a', 'ab', 'abc'])('the sign-in of %s is masked whole', (username) => {
  const sent = Buffer.from(`\0${username}\0secret`).toString('base64').replace(/=+$/, '');
  const text = `refused: AUTH PLAIN ${sent}, secret, ${Buffer.from('secret').toString('base64')}`;
  expect(maskSecret(text, { username, secret: { password: 'secret' } })).toBe('refused: AUTH PLAIN …, …, …');
});

test.each([
  ['the sign-in of OAuth', Buffer.from('user=bo\x01auth=Bearer pa"ss\\word\x01\x01').toString('base64')],
  ['a sign-in that names whom it is for', Buffer.from('bo\0bo\0pa"ss\\word').toString('base64')],
  ['a quoted string', String.raw`"pa\"ss\\word"`],
  ['a text that was cut', `${'.'.repeat(10)}pa"ss\\`],
  ['a text that was cut, with dots', `${'.'.repeat(10)}pa"ss...`],
])('%s shows nothing of a secret', (_what, shown) => {
  const masked = maskSecret(`refused: ${shown}`, { username: 'bo', secret: { password: 'pa"ss\\word' } });
  expect(masked).toMatch(/^refused: "?\.*…=*"?$/);
});
