import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { mailsTo, newestToken } from '../../../test/harness/links.ts';
import { type Answer, call, givePassword, makeOwner } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse({ EMAIL_VERIFICATION: 'required' });
const password = 'correct horse battery';
const newPassword = 'stapled to the wall';

const makePerson = async () => givePassword(house, await makeOwner(house), password);

const post = (path: string, body: unknown) => call(house, 'POST', `/v1/auth/${path}`, body);
const signIn = ({ email }: { email: string }, given: string) =>
  post('session', { provider: 'local', email, password: given });
const keyOf = ({ status, body }: Answer) => [status, body.key];
const forgot = async ({ email }: { email: string }): Promise<string> => {
  await post('forgot-password', { email });
  return newestToken(house, email);
};

describe('a forgotten password', () => {
  test('is replaced once by a mailed link, which ends all sessions', async () => {
    const person = await makePerson();
    const other = (await signIn(person, password)).body;
    const token = await forgot(person);
    const [mail] = await mailsTo(house, person.email);
    expect(mail?.text).toMatch(/^http:\/\/localhost:3000\/reset-password\?token=[\w-]{43}$/m);
    const reset = await post('reset-password', { token, password: newPassword });
    expect([reset.status, reset.body]).toEqual([200, { passwordStrength: expect.objectContaining({ score: 4 }) }]);
    expect((await signIn(person, password)).status).toBe(401);
    expect((await signIn(person, newPassword)).status).toBe(200);
    expect((await person.call('GET', '/v1/me')).status).toBe(401);
    expect((await post('refresh', { refreshToken: other.refreshToken })).status).toBe(401);
    expect(keyOf(await post('reset-password', { token, password }))).toEqual([410, 'auth.link_expired']);
    expect((await mailsTo(house, person.email)).at(-1)?.text).toContain('password of your Kontor account was changed');
  });

  test('of two concurrent uses one succeeds; using one link voids the others', async () => {
    const person = await makePerson();
    const first = await forgot(person);
    house.clock.advance(61_000);
    const second = await forgot(person);
    const answers = await Promise.all(
      [first, second, first].map((token) => post('reset-password', { token, password: newPassword })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
  });

  test('a link expires after an hour, or when the password changes otherwise', async () => {
    const person = await makePerson();
    const late = await forgot(person);
    house.clock.advance(3_600_000 + 1_000);
    expect((await post('reset-password', { token: late, password: newPassword })).status).toBe(410);
    const fresh = await givePassword(house, await makeOwner(house), password);
    const token = await forgot(fresh);
    await fresh.call('POST', '/v1/me/password', { currentPassword: password, newPassword });
    expect((await post('reset-password', { token, password })).status).toBe(410);
    expect((await signIn(fresh, newPassword)).status).toBe(200);
  });

  test('an unknown token, one of another kind and a short password set nothing', async () => {
    const person = await makePerson();
    const token = await forgot(person);
    expect(keyOf(await post('reset-password', { token: 'nonsense', password: newPassword }))).toEqual([
      410,
      'auth.link_expired',
    ]);
    expect(keyOf(await post('verify-email', { token }))).toEqual([410, 'auth.link_expired']);
    expect(keyOf(await post('reset-password', { token, password: 'short' }))).toEqual([400, 'request.invalid']);
    expect((await post('reset-password', { token, password: newPassword })).status).toBe(200);
  });

  test('every address is answered the same, once a minute, and only an account gets a mail', async () => {
    const person = await makePerson();
    for (const email of [person.email, 'nobody@example.org', `${person.email.toUpperCase()}X`]) {
      const answer = await post('forgot-password', { email });
      expect([answer.status, answer.body]).toEqual([200, {}]);
      const again = await post('forgot-password', { email: email.toUpperCase() });
      expect(keyOf(again)).toEqual([429, 'rate_limited']);
      expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(50);
      expect(again.headers.get('ratelimit-policy')).toBe('"reset-mails";q=1;w=60');
    }
    expect(await mailsTo(house, person.email)).toHaveLength(1);
    expect(await mailsTo(house, 'nobody@example.org')).toEqual([]);
    house.clock.advance(61_000);
    expect((await post('forgot-password', { email: person.email })).status).toBe(200);
    expect((await post('forgot-password', { email: 'no address' })).status).toBe(400);
  });

  test('following the link proves access to the mail, so the address counts as verified', async () => {
    const email = 'unverified@example.org';
    await post('register', { email, password });
    expect((await signIn({ email }, password)).body.key).toBe('auth.email_not_verified');
    await post('reset-password', { token: await forgot({ email }), password: newPassword });
    expect((await signIn({ email }, newPassword)).body.user.emailVerifiedAt).toEqual(expect.any(String));
  });

  test('an account without a password gets one', async () => {
    const person = await makeOwner(house);
    expect((await signIn(person, newPassword)).status).toBe(401);
    await post('reset-password', { token: await forgot(person), password: newPassword });
    expect((await signIn(person, newPassword)).status).toBe(200);
  });

  test('the new password works even after ten wrong passwords', async () => {
    const person = await makePerson();
    for (let tried = 0; tried < 10; tried++) await signIn(person, 'not this one');
    expect((await signIn(person, password)).status).toBe(429);
    await post('reset-password', { token: await forgot(person), password: newPassword });
    expect((await signIn(person, newPassword)).status).toBe(200);
  });
});

describe('changing the own password', () => {
  test('takes the current one, and ends the other sessions', async () => {
    const person = await makePerson();
    const other = (await signIn(person, password)).body;
    const change = (currentPassword: string) =>
      person.call('POST', '/v1/me/password', { currentPassword, newPassword });
    expect(keyOf(await change('wrong password'))).toEqual([401, 'auth.invalid_credentials']);
    const { status, body } = await change(password);
    expect([status, body.passwordStrength.score]).toEqual([200, 4]);
    expect((await person.call('GET', '/v1/me')).status).toBe(200);
    expect((await post('refresh', { refreshToken: other.refreshToken })).status).toBe(401);
    expect((await signIn(person, password)).status).toBe(401);
    expect((await signIn(person, newPassword)).status).toBe(200);
  });

  test('wrong passwords count together with those of sign-ins', async () => {
    const person = await makePerson();
    const guess = (currentPassword: string) => person.call('POST', '/v1/me/password', { currentPassword, newPassword });
    for (let tried = 0; tried < 10; tried++) expect((await guess('wrong password')).status).toBe(401);
    expect((await guess(password)).status).toBe(429);
    expect((await signIn(person, password)).status).toBe(429);
    house.clock.advance(15 * 60_000 + 1_000);
  });
});

test('a hash with other parameters is replaced at the next sign-in', async () => {
  const person = await makeOwner(house);
  // A hash of `correct horse battery` with m=19456, t=2.
  const old = '$argon2id$v=19$m=19456,t=2,p=1$ZA9vnf+xA/+BIVddjwp9Xg$HEYYwqrI5LWjkUk8G3jWKEp/HpwzfkHMYiJuOmVF+Ps';
  const hashNow = async () =>
    (await house.app.db.one<{ hash: string }>(sql`select password_hash as hash from users where id = ${person.userId}`))
      .hash;
  await house.app.db.tx((tx) => tx.run(sql`update users set password_hash = ${old} where id = ${person.userId}`));
  expect((await signIn(person, 'wrong password')).status).toBe(401);
  expect(await hashNow()).toBe(old);
  expect((await signIn(person, password)).status).toBe(200);
  const renewed = await hashNow();
  expect(renewed).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  expect((await signIn(person, password)).status).toBe(200);
  expect(await hashNow()).toBe(renewed);
});
