import { describe, expect, test } from 'vitest';
import { mailsTo, newestToken } from '../../../../test/harness/links.ts';
import { call } from '../../../../test/worlds/factories.ts';
import { useIdentityHouse } from '../../../../test/worlds/identity-house.ts';
import { sql } from '../../../ground/database/sql.ts';

const house = useIdentityHouse();
const password = 'correct horse battery';
const ownersPassword = 'only the owner knows this';
const post = (path: string, body: unknown, headers = {}) => call(house, 'POST', path, body, headers);
const signIn = (email: string) => post('/v1/auth/session', { provider: 'local', email, password });
const googleToken = (claims: object) => house.providers.mint({ family: 'google', claims: { ...claims } });

/** Registers another person's address and attaches every kind of credential. */
async function hijack(email: string) {
  await post('/v1/auth/register', { email, password });
  return attachAll(email);
}

async function attachAll(email: string) {
  const { body: session } = await signIn(email);
  const { id: workspaceId } = session.workspace;
  const headers = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': workspaceId };
  const identity = { sub: `attacker of ${email}`, email: `attacker-of-${email}` };
  const linked = await post(
    '/v1/me/identities',
    { provider: 'google', idToken: googleToken(identity), password },
    headers,
  );
  const key = await post(`/v1/workspaces/${workspaceId}/api-keys`, { name: 'k', role: 'viewer' }, headers);
  await confirmFactor(session.user.id);
  expect([linked.status, key.status]).toEqual([200, 201]);
  return { userId: session.user.id, session, headers, identity, key: key.body.secret, workspaceId };
}

function confirmFactor(userId: string) {
  return house.app.db.tx((tx) =>
    tx.run(sql`
      insert into second_factors (user_id, sealed_secret, created_at, confirmed_at)
      values (${userId}, 'sealed', ${tx.now}, ${tx.now})`),
  );
}

test('the first verification of an address ends what a stranger attached to its account', async () => {
  const email = 'ceo@corp.example.org';
  const attacker = await hijack(email);
  await post('/v1/auth/resend-verification', { email });
  const verified = await post('/v1/auth/verify-email', { token: await newestToken(house, email) });
  expect([verified.status, verified.body]).toEqual([200, {}]);

  expect((await call(house, 'GET', '/v1/me', undefined, attacker.headers)).status).toBe(401);
  expect((await post('/v1/auth/refresh', { refreshToken: attacker.session.refreshToken })).status).toBe(401);
  const asKey = { authorization: `Bearer ${attacker.key}`, 'x-workspace-id': attacker.workspaceId };
  const tickets = `/v1/workspaces/${attacker.workspaceId}/tickets`;
  expect((await call(house, 'GET', tickets, undefined, asKey)).status).toBe(401);
  const asIdentity = await house.signIn('google', googleToken(attacker.identity));
  expect(asIdentity.body.user?.id).not.toBe(attacker.userId);
});

test('the registered password keeps working, without the second factor', async () => {
  const email = 'owner@corp.example.org';
  const { userId } = await hijack(email);
  await post('/v1/auth/resend-verification', { email });
  await post('/v1/auth/verify-email', { token: await newestToken(house, email) });
  expect(await signIn(email)).toMatchObject({ status: 200, body: { user: { id: userId } } });
});

test('a later verification ends nothing', async () => {
  const email = 'twice@corp.example.org';
  await post('/v1/auth/register', { email, password });
  await post('/v1/auth/resend-verification', { email });
  const token = await newestToken(house, email);
  await house.app.db.tx((tx) => tx.run(sql`update users set email_verified_at = ${tx.now} where email_key = ${email}`));
  const { body: session } = await signIn(email);
  expect((await post('/v1/auth/verify-email', { token })).status).toBe(200);
  const me = await call(house, 'GET', '/v1/me', undefined, { authorization: `Bearer ${session.accessToken}` });
  expect(me.status).toBe(200);
});

describe('with a password on the page of the link', () => {
  const verify = async (email: string, more: object) => {
    await post('/v1/auth/resend-verification', { email });
    const token = await newestToken(house, email);
    return { token, answer: await post('/v1/auth/verify-email', { token, ...more }) };
  };

  test('nothing of the person who registered the address works afterwards', async () => {
    const email = 'chain@corp.example.org';
    const attacker = await hijack(email);
    const asked = await post(
      '/v1/me/email',
      { email: 'attacker-of-chain@example.org', password },
      { ...attacker.headers },
    );
    expect(asked.status).toBe(200);
    const stolen = await newestToken(house, 'attacker-of-chain@example.org');
    const { answer } = await verify(email, { password: ownersPassword });
    expect([answer.status, answer.body.passwordStrength.score]).toEqual([200, 4]);

    expect((await signIn(email)).status).toBe(401);
    expect((await call(house, 'GET', '/v1/me', undefined, attacker.headers)).status).toBe(401);
    expect((await post('/v1/auth/refresh', { refreshToken: attacker.session.refreshToken })).status).toBe(401);
    expect((await post('/v1/auth/confirm-email', { token: stolen })).status).toBe(410);
    const asKey = { authorization: `Bearer ${attacker.key}`, 'x-workspace-id': attacker.workspaceId };
    const members = `/v1/workspaces/${attacker.workspaceId}/members`;
    expect((await call(house, 'GET', members, undefined, asKey)).status).toBe(401);
    const asIdentity = await house.signIn('google', googleToken(attacker.identity));
    expect(asIdentity.body.user?.id).not.toBe(attacker.userId);
    // No second factor of the stranger locks the owner out.
    const owner = await post('/v1/auth/session', { provider: 'local', email, password: ownersPassword });
    expect(owner).toMatchObject({ status: 200, body: { user: { id: attacker.userId } } });
  });

  test('a link that is used again, or after another verification, sets no password', async () => {
    const email = 'stale@corp.example.org';
    await post('/v1/auth/register', { email, password });
    await post('/v1/auth/resend-verification', { email });
    const stale = await newestToken(house, email);
    await house.app.db.tx((tx) =>
      tx.run(sql`update users set email_verified_at = ${tx.now} where email_key = ${email}`),
    );
    for (const token of [stale, 'made up'])
      expect((await post('/v1/auth/verify-email', { token, password: ownersPassword })).status).toBe(410);
    expect((await signIn(email)).status).toBe(200);
  });

  test('a short password verifies nothing, and the link stays valid', async () => {
    const email = 'short@corp.example.org';
    await post('/v1/auth/register', { email, password });
    const { token, answer } = await verify(email, { password: 'short' });
    expect(answer.status).toBe(400);
    expect((await post('/v1/auth/verify-email', { token, password: ownersPassword })).status).toBe(200);
  });
});

test('a person who signs in with a provider drops the password of whoever registered the address', async () => {
  const email = 'entra@corp.example.org';
  const attacker = await hijack(email);
  await post('/v1/auth/resend-verification', { email });
  const token = await newestToken(house, email);
  expect((await post('/v1/auth/verify-email', { token, dropsPassword: true })).status).toBe(200);
  expect((await signIn(email)).status).toBe(401);
  expect((await house.signIn('google', googleToken(attacker.identity))).body.user?.id).not.toBe(attacker.userId);
});

describe('after a verification by the link alone', () => {
  /** The owner follows the link, and the person who registered the address attaches everything again. */
  async function returned(email: string) {
    await post('/v1/auth/register', { email, password });
    await post('/v1/auth/resend-verification', { email });
    await post('/v1/auth/verify-email', { token: await newestToken(house, email) });
    return attachAll(email);
  }
  const reset = async (email: string, more: object) => {
    await post('/v1/auth/forgot-password', { email });
    const token = await newestToken(house, email);
    expect((await post('/v1/auth/reset-password', { token, password: ownersPassword, ...more })).status).toBe(200);
  };
  const signInAsOwner = (email: string) =>
    post('/v1/auth/session', { provider: 'local', email, password: ownersPassword });

  test.each([false, true])('a reset lets the owner in, and ends what was attached (keepsAccess: %s)', async (keeps) => {
    const email = `late-${keeps}@corp.example.org`;
    const attacker = await returned(email);
    await reset(email, { keepsAccess: keeps });
    expect(await signInAsOwner(email)).toMatchObject({ status: 200, body: { user: { id: attacker.userId } } });
    const asKey = { authorization: `Bearer ${attacker.key}`, 'x-workspace-id': attacker.workspaceId };
    const members = `/v1/workspaces/${attacker.workspaceId}/members`;
    expect((await call(house, 'GET', members, undefined, asKey)).status).toBe(keeps ? 200 : 401);
    const asIdentity = await house.signIn('google', googleToken(attacker.identity));
    expect(asIdentity.body.user?.id === attacker.userId).toBe(keeps);
    const letters = (await mailsTo(house, email)).map(({ text }) => text).join();
    expect(letters).toContain('no longer asks for a code');
  });

  test('a second factor that the owner then sets up survives the next reset', async () => {
    const email = 'settled@corp.example.org';
    await returned(email);
    await reset(email, {});
    const { body: session } = await signInAsOwner(email);
    await confirmFactor(session.user.id);
    house.clock.advance(61_000);
    await reset(email, { keepsAccess: true });
    expect((await signInAsOwner(email)).body.key).toBe('auth.second_factor_required');
  });

  test('an identity for which its provider vouches takes the account over', async () => {
    const email = 'vouched@corp.example.org';
    const attacker = await returned(email);
    const owner = await house.signIn(
      'google',
      googleToken({ sub: 'the owner', email, email_verified: true, hd: 'corp.example.org' }),
    );
    expect(owner).toMatchObject({ status: 200, body: { user: { id: attacker.userId } } });
    expect((await signIn(email)).status).toBe(401);
    expect((await call(house, 'GET', '/v1/me', undefined, attacker.headers)).status).toBe(401);
  });
});

test('a reset keeps API keys and identities if the person says so', async () => {
  const email = 'keeps@corp.example.org';
  const { userId, headers, key, workspaceId, identity } = await hijack(email);
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`update users set email_verified_at = ${tx.now} where id = ${userId}`);
    await tx.run(sql`delete from second_factors where user_id = ${userId}`);
  });
  await post('/v1/auth/forgot-password', { email });
  const input = { token: await newestToken(house, email), password: 'another good secret', keepsAccess: true };
  expect((await post('/v1/auth/reset-password', input)).status).toBe(200);
  expect((await call(house, 'GET', '/v1/me', undefined, headers)).status).toBe(401);
  const asKey = { authorization: `Bearer ${key}`, 'x-workspace-id': workspaceId };
  expect((await call(house, 'GET', `/v1/workspaces/${workspaceId}/members`, undefined, asKey)).status).toBe(200);
  expect((await house.signIn('google', googleToken(identity))).body.user?.id).toBe(userId);
});
