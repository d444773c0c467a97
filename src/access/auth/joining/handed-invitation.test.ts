import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { newestToken } from '../../../../test/harness/links.ts';
import { call, givePassword, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';

const house = useHouse();
const strict = useHouse({ EMAIL_VERIFICATION: 'required' });
const password = 'correct horse battery';
let counter = 0;
const newAddress = () => `Handed.${++counter}@Example.org`;
const accept = (body: object) => call(house, 'POST', '/v1/auth/accept-invite', { password, ...body });
const read = (token: string) => call(house, 'POST', '/v1/auth/read-invite', { token });
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';

async function handed(by: Person, email: string): Promise<string> {
  const { status, body } = await by.call('POST', '/invites', { email, role: 'agent' });
  expect([status, body.link]).toEqual([201, expect.stringMatching(/^http:.*\/accept-invite\?token=[\w-]{43}$/)]);
  return tokenOf(body.link);
}

const unverify = (userId: string) =>
  house.app.db.tx((tx) => tx.run(sql`update users set email_verified_at = null where id = ${userId}`));

async function verifiedAt(email: string): Promise<string | null> {
  const session = await call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password });
  expect(session.status).toBe(200);
  return session.body.user.emailVerifiedAt;
}

describe('without mail', () => {
  test('inviting and inviting again answer with a link, and lists have none', async () => {
    const owner = await makeOwner(house);
    const email = newAddress();
    const first = await handed(owner, email);
    const [{ id, link }] = (await owner.call('GET', '/invites')).body;
    expect(link).toBeUndefined();
    const again = await owner.call('POST', `/invites/${id}/resend`);
    expect(tokenOf(again.body.link)).not.toBe(first);
    expect((await accept({ token: first, email })).status).toBe(200);
    expect((await accept({ token: tokenOf(again.body.link), email })).status).toBe(410);
  });

  test('a repeat with the same Idempotency-Key does not show the link again', async () => {
    const owner = await makeOwner(house);
    const send = () =>
      owner.call(
        'POST',
        '/invites',
        { email: `same.${counter}@example.org`, role: 'agent' },
        { 'idempotency-key': 'x' },
      );
    expect((await send()).status).toBe(201);
    expect((await send()).body.key).toBe('idempotency.secret_not_repeatable');
  });

  test('the link shows whom it is for, and who invites to what, and spends nothing', async () => {
    const owner = await makeOwner(house, 'New Shop');
    const email = newAddress();
    const token = await handed(owner, email);
    const shown = await read(token);
    expect([shown.status, shown.body]).toEqual([
      200,
      { email, workspaceName: 'New Shop', inviter: expect.stringMatching(/./) },
    ]);
    expect((await accept({ token, email })).status).toBe(200);
    expect((await read(token)).body.key).toBe('auth.link_expired');
    expect((await read('nonsense')).status).toBe(410);
  });
});

describe('a handed link proves no address', () => {
  test('a new account is not verified; by the mailed link it is', async () => {
    const owner = await makeOwner(house);
    const [handedTo, mailedTo] = [newAddress(), newAddress()];
    const made = await accept({ token: await handed(owner, handedTo), email: handedTo });
    expect([made.status, made.body.user.emailVerifiedAt]).toEqual([200, null]);
    await handed(owner, mailedTo);
    const mailed = await accept({ token: await newestToken(house, mailedTo), email: mailedTo });
    expect(mailed.body.user.emailVerifiedAt).toEqual(expect.any(String));
  });

  test.each(['password', 'session', 'second factor'])('an account that joins by %s stays unverified', async (way) => {
    const owner = await makeOwner(house);
    const guest = await givePassword(house, await makeOwner(house), password);
    await unverify(guest.userId);
    const token = await handed(owner, guest.email);
    if (way === 'session') {
      expect((await guest.call('POST', '/v1/me/accept-invite', { token })).status).toBe(200);
      expect(await verifiedAt(guest.email)).toBeNull();
      return;
    }
    if (way === 'second factor')
      await house.app.db.tx((tx) =>
        tx.run(sql`
          insert into second_factors (user_id, sealed_secret, created_at, confirmed_at)
          values (${guest.userId}, 'sealed', ${tx.now}, ${tx.now})`),
      );
    expect((await accept({ token, email: guest.email })).status).toBe(way === 'password' ? 200 : 401);
    const row = sql`select email_verified_at as at from users where id = ${guest.userId}`;
    expect(await house.app.db.one<{ at: string | null }>(row)).toEqual({ at: null });
  });

  test('who joined a stranger’s address loses all access when its owner proves the address', async () => {
    const attacker = await makeOwner(house);
    const email = newAddress();
    const { body } = await accept({ token: await handed(attacker, email), email });
    const headers = { authorization: `Bearer ${body.accessToken}`, 'x-workspace-id': attacker.workspaceId };
    const keys = `/v1/workspaces/${attacker.workspaceId}/api-keys`;
    await attacker.call('PATCH', `/members/${body.user.id}`, { role: 'admin' });
    const key = (await call(house, 'POST', keys, { name: 'later', role: 'agent' }, headers)).body.secret;
    const me = (token: string) => call(house, 'GET', '/v1/me', undefined, { authorization: `Bearer ${token}` });
    const tickets = `/v1/workspaces/${attacker.workspaceId}/tickets`;
    const byKey = () => call(house, 'GET', tickets, undefined, { ...headers, authorization: `Bearer ${key}` });
    expect([(await me(body.accessToken)).status, (await byKey()).status]).toEqual([200, 200]);
    await call(house, 'POST', '/v1/auth/resend-verification', { email });
    const own = 'a password of the owner';
    const proof = { token: await newestToken(house, email), password: own };
    expect((await call(house, 'POST', '/v1/auth/verify-email', proof)).status).toBe(200);
    const signIn = (tried: string) =>
      call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password: tried });
    expect([(await signIn(password)).status, (await signIn(own)).status]).toEqual([401, 200]);
    house.clock.advance(2_000);
    expect([(await me(body.accessToken)).status, (await byKey()).status]).toEqual([401, 401]);
  });
});

describe('where addresses must be proven', () => {
  test('there is no link to hand over', async () => {
    const owner = await makeOwner(strict);
    const { status, body } = await owner.call('POST', '/invites', { email: newAddress(), role: 'agent' });
    expect([status, Object.keys(body)]).toEqual([201, expect.not.arrayContaining(['link'])]);
  });

  test('a link that was handed over before no longer works', async () => {
    const owner = await makeOwner(house);
    const email = newAddress();
    const token = await handed(owner, email);
    house.app.config.isEmailVerificationRequired = true;
    try {
      expect((await accept({ token, email })).body.key).toBe('auth.link_expired');
      expect((await read(token)).body.key).toBe('auth.link_expired');
    } finally {
      house.app.config.isEmailVerificationRequired = false;
    }
    expect((await accept({ token, email })).status).toBe(200);
  });
});
