import { expect, test } from 'vitest';
import { openPasswords } from './password.ts';

const password = 'correct horse battery';

test('a password matches its own hash alone, which is argon2id', async () => {
  const passwords = openPasswords();
  const hash = await passwords.hash(password);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=32768,t=3,p=1\$/);
  expect(await passwords.hash(password)).not.toBe(hash);
  expect(await passwords.matches(hash, password)).toBe(true);
  expect(await passwords.matches(hash, `${password} `)).toBe(false);
  expect(await passwords.matches(null, password)).toBe(false);
});

test('so many may wait, who comes after is told to come later, and a fault frees its turn', async () => {
  const passwords = openPasswords();
  const broken = Array.from({ length: 102 }, () => passwords.matches('no hash', password).catch(() => 'broken'));
  expect(passwords.isFull()).toBe(true);
  await expect(passwords.hash(password)).rejects.toMatchObject({
    key: 'unavailable',
    headers: { 'retry-after': '5' },
  });
  expect(new Set(await Promise.all(broken))).toEqual(new Set(['broken']));
  expect(passwords.isFull()).toBe(false);
  expect(await passwords.matches(await passwords.hash(password), password)).toBe(true);
});
