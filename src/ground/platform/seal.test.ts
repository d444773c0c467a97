import { expect, test } from 'vitest';
import { openSeal } from './seal.ts';

const key = (text: string) => Buffer.from(text.padEnd(32, '.'));
const secret = Buffer.from('a secret');

test('a sealed secret opens again, and its text differs each time', () => {
  const { seal, open } = openSeal([key('one')]);
  const sealed = seal(secret, 'of:ann');
  expect(Buffer.from(open(sealed, 'of:ann'))).toEqual(secret);
  expect(sealed).not.toContain('secret');
  expect(seal(secret, 'of:ann')).not.toBe(sealed);
});

test('keys rotate: the first key seals, every key opens, and a removed key opens nothing', () => {
  const sealed = openSeal([key('old')]).seal(secret, 'of:ann');
  const both = openSeal([key('new'), key('old')]);
  expect([both.isOutdated(sealed), both.isOutdated(both.seal(secret, 'of:ann'))]).toEqual([true, false]);
  expect(Buffer.from(both.open(sealed, 'of:ann'))).toEqual(secret);
  const resealed = both.seal(secret, 'of:ann');
  const after = openSeal([key('new')]);
  expect(Buffer.from(after.open(resealed, 'of:ann'))).toEqual(secret);
  expect(() => after.open(sealed, 'of:ann')).toThrow(/no key of ENCRYPTION_KEY/);
});

test('a sealed secret does not open for another owner, altered or truncated', () => {
  const { seal, open } = openSeal([key('one')]);
  const sealed = seal(secret, 'of:ann');
  const [version, id, text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  bytes[14] = (bytes[14] ?? 0) ^ 1;
  expect(() => open(sealed, 'of:ben')).toThrow();
  expect(() => open(`${version}.${id}.${bytes.toString('base64url')}`, 'of:ann')).toThrow();
  expect(() => open(sealed.slice(0, -4), 'of:ann')).toThrow();
  for (const nonsense of ['', 'v1', `v2.${id}.${text}`, `${version}.${id}.`]) {
    expect(() => open(nonsense, 'of:ann')).toThrow();
  }
});
