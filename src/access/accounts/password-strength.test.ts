import { afterAll, expect, test } from 'vitest';
import { openPasswordJudge } from './password-strength.ts';

const judge = openPasswordJudge({ minScore: undefined });
const strict = openPasswordJudge({ minScore: 3 });
afterAll(() => Promise.all([judge.close(), strict.close()]));

const about = ['ann.example@acme.org', 'Ann Example'];
const field = 'password' as const;

test('a password gets a score by how hard it is to guess, and advice', async () => {
  const [poor, good] = await Promise.all([
    judge.judge('p4ssw0rd', { about, field }),
    judge.judge('correct horse battery', { about, field }),
  ]);
  expect(poor).toMatchObject({ score: 0, warning: expect.any(String) });
  expect(poor?.suggestions.length).toBeGreaterThan(0);
  expect(good).toEqual({ score: 4, warning: null, suggestions: [] });
});

test('name and address of the owner add no strength', async () => {
  const word = 'Kwyjibo-Xanthippe';
  const [strange, own] = await Promise.all([
    judge.judge(word, { about, field }),
    judge.judge(word, { about: ['kwyjibo@xanthippe.org', null, undefined], field }),
  ]);
  expect(strange?.score).toBe(4);
  expect(own?.score).toBeLessThan(4);
});

test('any text gets a score, however long or odd', async () => {
  const odd = ['𝕡𝕒𝕤𝕤𝕨𝕠𝕣𝕕', '\u200b'.repeat(40), '1'.repeat(256), 'äöü'.repeat(80), '__proto__', 'constructor1'];
  for (const password of odd) {
    const strength = await judge.judge(password, { about: [password], field });
    expect([password, strength?.score]).toEqual([password, expect.any(Number)]);
  }
});

test('a password below the minimum score is refused with the reason', async () => {
  await expect(strict.judge('password1', { about, field: 'newPassword' })).rejects.toMatchObject({
    key: 'request.invalid',
    params: { issues: [{ path: 'body.newPassword', message: expect.stringMatching(/^is too easy to guess\. \S+/) }] },
  });
  await expect(strict.judge('correct horse battery', { about, field })).resolves.toMatchObject({ score: 4 });
});

test('under load some passwords get no advice, but the minimum score still applies', async () => {
  const many = (of: typeof judge) =>
    Promise.allSettled(Array.from({ length: 102 }, () => of.judge('correct horse battery', { about, field })));
  expect((await many(judge)).at(-1)).toEqual({ status: 'fulfilled', value: undefined });
  expect((await many(strict)).at(-1)).toMatchObject({ status: 'rejected', reason: { key: 'unavailable' } });
});

test('closing the judge at work leaves no caller waiting', async () => {
  const closing = openPasswordJudge({ minScore: undefined });
  const waiting = closing.judge('correct horse battery', { about, field });
  await closing.close();
  expect(await waiting).toBeUndefined();
});
