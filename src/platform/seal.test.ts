import { expect, test } from 'vitest';
import { openSeal } from './seal.ts';

const key = (text: string) => Buffer.from(text.padEnd(32, '.'));
const secret = Buffer.from('a secret');

test('what is sealed opens again, and looks different each time', () => {
  const { seal, open } = openSeal([key('one')]);
  const sealed = seal(secret, 'of:ann');
  expect(Buffer.from(open(sealed, 'of:ann'))).toEqual(secret);
  expect(sealed).not.toContain('secret');
  expect(seal(secret, 'of:ann')).not.toBe(sealed);
});

test('keys are changed: the first seals, all of them open, one that is gone opens nothing', () => {
  const sealed = openSeal([key('old')]).seal(secret, 'of:ann');
  const both = openSeal([key('new'), key('old')]);
  expect([both.isOutdated(sealed), both.isOutdated(both.seal(secret, 'of:ann'))]).toEqual([true, false]);
  expect(Buffer.from(both.open(sealed, 'of:ann'))).toEqual(secret);
  const resealed = both.seal(secret, 'of:ann');
  const after = openSeal([key('new')]);
  expect(Buffer.from(after.open(resealed, 'of:ann'))).toEqual(secret);
  expect(() => after.open(sealed, 'of:ann')).toThrow(/no key of ENCRYPTION_KEY/);
});

test('a sealed secret opens for nobody else, nor altered, nor cut', () => {
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
