import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { mailsTo, newestToken } from '../../../test/harness/links.ts';
import { type Answer, call, givePassword, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { issueAt } from '../../ground/lib/issues.ts';

const house = useHouse();
const password = 'correct horse battery';
const path = '/v1/me/second-factor';

const nextStep = () => house.clock.advance(30_000);
const codeOf = (secret: string, stepsAside = 0) =>
  new TOTP({ secret }).generate({ timestamp: house.clock.now().getTime() + stepsAside * 30_000 });
const otherThan = (code: string) => code.replace(/^./, (digit) => String((Number(digit) + 5) % 10));

type Enrolled = Person & { secret: string; recoveryCodes: string[] };

async function enrol(person: Person): Promise<Enrolled> {
  const { secret } = (await person.call('POST', path, { password })).body;
  const { recoveryCodes } = (await person.call('POST', `${path}/confirm`, { code: codeOf(secret) })).body;
  nextStep();
  return { ...person, secret, recoveryCodes };
}

const makeEnrolled = async (name?: string) => enrol(await givePassword(house, await makeOwner(house, name), password));
const session = (body: object) => call(house, 'POST', '/v1/auth/session', { provider: 'local', ...body });
const signIn = ({ email }: { email: string }, more: object = {}) => session({ email, password, ...more });
const keyOf = ({ status, body }: Answer) => [status, body.key];

describe('setting up', () => {
  test('takes the password, returns a secret for an authenticator app, and requires no code yet', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    expect(keyOf(await person.call('POST', path, { password: 'wrong' }))).toEqual([401, 'auth.invalid_credentials']);
    expect(keyOf(await person.call('POST', path, {}))).toEqual([401, 'auth.invalid_credentials']);
    const { status, body } = await person.call('POST', path, { password });
    expect(status).toBe(201);
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(body.otpauthUri).toContain(`otpauth://totp/Kontor:${encodeURIComponent(person.email)}`);
    expect(body.otpauthUri).toContain(`secret=${body.secret}`);
    expect((await person.call('GET', path)).body).toEqual({ confirmedAt: null, recoveryCodesLeft: 0 });
    expect((await signIn(person)).status).toBe(200);
  });

  test('a code confirms it, ends the other sessions, and returns ten recovery codes', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    const other = (await signIn(person)).body;
    const { secret } = (await person.call('POST', path, { password })).body;
    const wrong = await person.call('POST', `${path}/confirm`, { code: otherThan(codeOf(secret)) });
    expect(keyOf(wrong)).toEqual([401, 'auth.invalid_credentials']);
    const code = codeOf(secret);
    const confirmed = await person.call('POST', `${path}/confirm`, { code: `${code.slice(0, 3)} ${code.slice(3)}` });
    expect(confirmed.status).toBe(200);
    expect(new Set(confirmed.body.recoveryCodes).size).toBe(10);
    const read = await person.call('GET', path);
    expect(read.body).toEqual({ confirmedAt: expect.any(String), recoveryCodesLeft: 10 });
    const others = await call(house, 'GET', '/v1/me', undefined, { authorization: `Bearer ${other.accessToken}` });
    expect(others.status).toBe(401);
    expect((await mailsTo(house, person.email)).map(({ text }) => text)).toEqual([
      expect.stringContaining('asks for a code'),
    ]);
  });

  test('starting again replaces an unconfirmed secret; a confirmed one stays', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    const first = (await person.call('POST', path, { password })).body.secret;
    const second = (await person.call('POST', path, { password })).body.secret;
    expect((await person.call('POST', `${path}/confirm`, { code: codeOf(first) })).status).toBe(401);
    expect((await person.call('POST', `${path}/confirm`, { code: codeOf(second) })).status).toBe(200);
    expect(keyOf(await person.call('POST', path, { password }))).toEqual([409, 'auth.second_factor_exists']);
    nextStep();
    const again = await person.call('POST', `${path}/confirm`, { code: codeOf(second) });
    expect(keyOf(again)).toEqual([409, 'auth.second_factor_missing']);
  });

  test('without a password a recent sign-in is needed', async () => {
    const person = await makeOwner(house);
    expect((await person.call('POST', path, {})).status).toBe(201);
    house.clock.advance(11 * 60_000);
    expect(keyOf(await person.call('POST', path, {}))).toEqual([401, 'auth.invalid_credentials']);
  });

  test('the secret is kept sealed, the recovery codes as hashes', async () => {
    const { userId, secret, recoveryCodes } = await makeEnrolled();
    const kept = await house.app.db.rows<{ row: string }>(sql`
      select f::text as row from second_factors f where user_id = ${userId}
      union all select c::text from recovery_codes c where user_id = ${userId}`);
    const text = kept.map(({ row }) => row).join('\n');
    expect(kept).toHaveLength(11);
    for (const told of [secret, ...recoveryCodes]) expect(text).not.toContain(told);
  });
});

describe('signing in with a second factor', () => {
  test('the right password gets a challenge, the challenge with a code the session', async () => {
    const person = await makeEnrolled();
    const asked = await signIn(person, { workspaceId: person.workspaceId });
    expect(keyOf(asked)).toEqual([401, 'auth.second_factor_required']);
    expect(asked.body.params).toEqual({ challenge: expect.stringMatching(/^[\w-]{43}$/), expiresIn: 300 });
    const { challenge } = asked.body.params;
    expect((await session({ challenge })).body.params.issues).toEqual([issueAt('body.code', 'required')]);
    const wrong = await session({ challenge, code: otherThan(codeOf(person.secret)) });
    expect(keyOf(wrong)).toEqual([401, 'auth.invalid_credentials']);
    const { status, body } = await session({ challenge, code: codeOf(person.secret) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ user: { id: person.userId }, workspace: { id: person.workspaceId } });
    const me = await call(house, 'GET', '/v1/me', undefined, { authorization: `Bearer ${body.accessToken}` });
    expect(me.status).toBe(200);
  });

  test('a wrong password does not reveal it', async () => {
    const person = await makeEnrolled();
    expect(keyOf(await signIn(person, { password: 'wrong password' }))).toEqual([401, 'auth.invalid_credentials']);
  });

  test('a code works once, also concurrently, and no earlier code works after it', async () => {
    const person = await makeEnrolled();
    const challenges = await Promise.all(
      Array.from({ length: 3 }, async () => (await signIn(person)).body.params.challenge),
    );
    const later = codeOf(person.secret, 1);
    const both = await Promise.all(challenges.slice(1).map((challenge) => session({ challenge, code: later })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    for (const code of [later, codeOf(person.secret)]) {
      expect(keyOf(await session({ challenge: challenges[0], code }))).toEqual([401, 'auth.invalid_credentials']);
    }
  });

  test('the previous and the next code work; codes further off do not', async () => {
    for (const [stepsAside, status] of [
      [-2, 401],
      [-1, 200],
      [1, 200],
      [2, 401],
    ] as const) {
      const person = await makeEnrolled();
      nextStep();
      nextStep();
      const { challenge } = (await signIn(person)).body.params;
      const answer = await session({ challenge, code: codeOf(person.secret, stepsAside) });
      expect([stepsAside, answer.status]).toEqual([stepsAside, status]);
    }
  });

  test('a recovery code stands in for a code, once, however it is typed', async () => {
    const person = await makeEnrolled();
    const code = (person.recoveryCodes[0] ?? '').toUpperCase().replaceAll('-', ' ');
    const use = async () => session({ challenge: (await signIn(person)).body.params.challenge, code });
    expect((await use()).status).toBe(200);
    expect(keyOf(await use())).toEqual([401, 'auth.invalid_credentials']);
    expect((await person.call('GET', path)).body.recoveryCodesLeft).toBe(9);
    expect((await mailsTo(house, person.email)).at(-1)?.text).toContain(
      'recovery codes of your Kontor account was used',
    );
  });

  test('a challenge works once, for five minutes, and for its own account', async () => {
    const person = await makeEnrolled();
    const challenge = async () => (await signIn(person)).body.params.challenge;
    const used = await challenge();
    expect((await session({ challenge: used, code: codeOf(person.secret) })).status).toBe(200);
    nextStep();
    const code = codeOf(person.secret);
    const late = await challenge();
    for (const tried of [used, 'nonsense']) {
      expect(keyOf(await session({ challenge: tried, code }))).toEqual([401, 'auth.token_invalid']);
    }
    house.clock.advance(301_000);
    const expired = await session({ challenge: late, code: codeOf(person.secret) });
    expect(keyOf(expired)).toEqual([401, 'auth.token_invalid']);
    const other = await makeEnrolled();
    const foreign = await session({ challenge: await challenge(), code: codeOf(other.secret) });
    expect(keyOf(foreign)).toEqual([401, 'auth.invalid_credentials']);
  });

  test('after ten wrong codes all codes are refused for a while, even right ones, from any address', async () => {
    const person = await makeEnrolled();
    const { challenge } = (await signIn(person)).body.params;
    const tries = await Promise.all(
      Array.from({ length: 12 }, () => session({ challenge, code: otherThan(codeOf(person.secret)) })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429, 429]);
    const refused = await session({ challenge, code: codeOf(person.secret) });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-policy')).toContain('wrong-codes-account');
    house.clock.advance(15 * 60_000 + 1_000);
    const later = (await signIn(person)).body.params.challenge;
    expect((await session({ challenge: later, code: codeOf(person.secret) })).status).toBe(200);
  });

  test('a new password voids the challenges of the old one', async () => {
    const person = await makeEnrolled();
    const { challenge } = (await signIn(person)).body.params;
    await call(house, 'POST', '/v1/auth/forgot-password', { email: person.email });
    const token = await newestToken(house, person.email);
    await call(house, 'POST', '/v1/auth/reset-password', { token, password: 'another good secret' });
    expect(keyOf(await session({ challenge, code: codeOf(person.secret) }))).toEqual([401, 'auth.token_invalid']);
    const asked = await session({ email: person.email, password: 'another good secret' });
    expect(keyOf(asked)).toEqual([401, 'auth.second_factor_required']);
  });

  test('a password reset removes a factor set up before the address was verified', async () => {
    const person = await makeEnrolled();
    await house.app.db.tx((tx) => tx.run(sql`update users set email_verified_at = null where id = ${person.userId}`));
    await call(house, 'POST', '/v1/auth/forgot-password', { email: person.email });
    const token = await newestToken(house, person.email);
    await call(house, 'POST', '/v1/auth/reset-password', { token, password: 'another good secret' });
    expect((await session({ email: person.email, password: 'another good secret' })).status).toBe(200);
  });

  test('an invitation is accepted with the code, and not before', async () => {
    const owner = await makeOwner(house, 'Theirs');
    const person = await makeEnrolled();
    await owner.call('POST', '/invites', { email: person.email, role: 'agent' });
    const token = await newestToken(house, person.email);
    const asked = await call(house, 'POST', '/v1/auth/accept-invite', { token, email: person.email, password });
    expect(keyOf(asked)).toEqual([401, 'auth.second_factor_required']);
    const members = async () => (await owner.call('GET', '/members')).body;
    expect(await members()).toHaveLength(1);
    const { challenge } = asked.body.params;
    const { status, body } = await session({ challenge, code: codeOf(person.secret) });
    expect([status, body.workspace]).toEqual([200, { id: owner.workspaceId, name: 'Theirs', role: 'agent' }]);
    expect(await members()).toHaveLength(2);
  });
});

describe('changing it', () => {
  test('new recovery codes replace the old ones; password and code are needed', async () => {
    const person = await makeEnrolled();
    const renew = (body: object) => person.call('POST', `${path}/recovery-codes`, body);
    const code = codeOf(person.secret);
    expect(keyOf(await renew({ password: 'wrong', code }))).toEqual([401, 'auth.invalid_credentials']);
    expect(keyOf(await renew({ password, code: otherThan(code) }))).toEqual([401, 'auth.invalid_credentials']);
    const renewed = await renew({ password, code });
    expect(renewed.body.recoveryCodes).toHaveLength(10);
    const use = async (given: string) =>
      session({ challenge: (await signIn(person)).body.params.challenge, code: given });
    expect((await use(person.recoveryCodes[0] ?? '')).status).toBe(401);
    expect((await use(renewed.body.recoveryCodes[0])).status).toBe(200);
  });

  test('after removal no code is required, and it can be set up again', async () => {
    const person = await makeEnrolled();
    const remove = (body: object) => person.call('DELETE', path, body);
    expect((await remove({ password: 'wrong', code: codeOf(person.secret) })).status).toBe(401);
    expect((await remove({ password, code: codeOf(person.secret) })).status).toBe(204);
    expect((await signIn(person)).status).toBe(200);
    expect(keyOf(await remove({ password, code: codeOf(person.secret) }))).toEqual([409, 'auth.second_factor_missing']);
    expect((await enrol(person)).recoveryCodes).toHaveLength(10);
  });

  test('a user cannot change another user’s factor', async () => {
    const person = await makeEnrolled();
    const colleague = await givePassword(house, await makeMember(house, person.workspaceId, 'admin'), password);
    const answer = await colleague.call('DELETE', path, { password, code: codeOf(person.secret) });
    expect(keyOf(answer)).toEqual([409, 'auth.second_factor_missing']);
    expect((await person.call('GET', path)).body.recoveryCodesLeft).toBe(10);
  });
});

describe('a workspace that demands it', () => {
  test('refuses sessions without a code until they set one up; other workspaces stay open', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    const elsewhere = await makeOwner(house);
    await house.app.db.tx((tx) =>
      tx.run(sql`update workspaces set require_second_factor = true where id = ${person.workspaceId}`),
    );
    expect(keyOf(await person.call('GET', '/tickets'))).toEqual([403, 'workspace.second_factor_required']);
    expect((await elsewhere.call('GET', '/tickets')).status).toBe(200);
    // Signing in without a factor stays possible, since setting it up needs a session.
    const { accessToken } = (await signIn(person)).body;
    const headers = { authorization: `Bearer ${accessToken}`, 'x-workspace-id': person.workspaceId };
    const list = () => call(house, 'GET', `/v1/workspaces/${person.workspaceId}/tickets`, undefined, headers);
    expect((await list()).status).toBe(403);
    const { secret } = (await call(house, 'POST', path, { password }, headers)).body;
    await call(house, 'POST', `${path}/confirm`, { code: codeOf(secret) }, headers);
    expect((await list()).status).toBe(200);
    nextStep();
    await call(house, 'DELETE', path, { password, code: codeOf(secret) }, headers);
    expect((await list()).status).toBe(403);
  });
});
