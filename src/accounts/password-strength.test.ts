import { afterAll, expect, test } from 'vitest';
import { openPasswordJudge } from './password-strength.ts';

const judge = openPasswordJudge({ minScore: undefined });
const strict = openPasswordJudge({ minScore: 3 });
afterAll(() => Promise.all([judge.close(), strict.close()]));

const about = ['ann.example@acme.org', 'Ann Example'];
const field = 'password' as const;

test('a password is judged by how it is guessed, and advice given', async () => {
  const [poor, good] = await Promise.all([
    judge.judge('p4ssw0rd', { about, field }),
    judge.judge('correct horse battery', { about, field }),
  ]);
  expect(poor).toMatchObject({ score: 0, warning: expect.any(String) });
  expect(poor?.suggestions.length).toBeGreaterThan(0);
  expect(good).toEqual({ score: 4, warning: null, suggestions: [] });
});

test('what guessers know of the owner does not count', async () => {
  const word = 'Kwyjibo-Xanthippe';
  const [strange, own] = await Promise.all([
    judge.judge(word, { about, field }),
    judge.judge(word, { about: ['kwyjibo@xanthippe.org', null, undefined], field }),
  ]);
  expect(strange?.score).toBe(4);
  expect(own?.score).toBeLessThan(4);
});

test('any text is judged, however long or odd', async () => {
  const odd = ['𝕡𝕒𝕤𝕤𝕨𝕠𝕣𝕕', '\u200b'.repeat(40), '1'.repeat(256), 'äöü'.repeat(80), '__proto__', 'constructor1'];
  for (const password of odd) {
    const strength = await judge.judge(password, { about: [password], field });
    expect([password, strength?.score]).toEqual([password, expect.any(Number)]);
  }
});

test('where an operator sets a least score, what is below is refused, and why', async () => {
  await expect(strict.judge('password1', { about, field: 'newPassword' })).rejects.toMatchObject({
    key: 'request.invalid',
    params: { issues: [{ path: 'body.newPassword', message: expect.stringMatching(/^is too easy to guess\. \S+/) }] },
  });
  await expect(strict.judge('correct horse battery', { about, field })).resolves.toMatchObject({ score: 4 });
});

test('of too many at once some get no advice; a limit is not passed over', async () => {
  const many = (of: typeof judge) =>
    Promise.allSettled(Array.from({ length: 102 }, () => of.judge('correct horse battery', { about, field })));
  expect((await many(judge)).at(-1)).toEqual({ status: 'fulfilled', value: undefined });
  expect((await many(strict)).at(-1)).toMatchObject({ status: 'rejected', reason: { key: 'unavailable' } });
});

test('closed in mid-work it leaves nobody waiting', async () => {
  const closing = openPasswordJudge({ minScore: undefined });
  const waiting = closing.judge('correct horse battery', { about, field });
  await closing.close();
  expect(await waiting).toBeUndefined();
});
