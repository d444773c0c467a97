import { afterAll, expect, test } from 'vitest';
import { openPasswords } from './password.ts';

const password = 'correct horse battery';
const passwords = openPasswords();
afterAll(() => passwords.close());

test('a password matches only its own hash, made with argon2id', async () => {
  const hash = await passwords.hash(password);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=32768,t=3,p=1\$/);
  expect(await passwords.hash(password)).not.toBe(hash);
  expect(await passwords.matches(hash, password)).toBe(true);
  expect(await passwords.matches(hash, `${password} `)).toBe(false);
  expect(await passwords.matches(null, password)).toBe(false);
});

test('a bounded number may wait, the next caller gets `unavailable`, and a fault frees its turn', async () => {
  const told = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.matches('no hash', password)));
  const refused = told.filter((each) => each.status === 'rejected' && each.reason.key === 'unavailable');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(10);
  expect(refused[0]).toMatchObject({ reason: { headers: { 'retry-after': '5' } } });
  expect(await passwords.matches(await passwords.hash(password), password)).toBe(true);
});

test('of many concurrent sign-ins few run at once, and the excess is refused before it queries anything', async () => {
  const cheap = openPasswords({ memoryCost: 8, timeCost: 1 });
  let asked = 0;
  let underWay = 0;
  let underWayMost = 0;
  const signIns = Array.from({ length: 200 }, () =>
    cheap.admit(async () => {
      asked++;
      underWayMost = Math.max(underWayMost, ++underWay);
      const isRight = await cheap.matches(null, password);
      underWay--;
      return isRight;
    }),
  );
  const told = await Promise.allSettled(signIns);
  expect(told.filter(({ status }) => status === 'fulfilled').length).toBe(asked);
  expect(told.at(-1)).toMatchObject({ reason: { key: 'unavailable', headers: { 'retry-after': '5' } } });
  expect(underWayMost).toBeLessThanOrEqual(8);
  await expect(cheap.admit(async () => 'again')).resolves.toBe('again');
  await cheap.close();
});
