import { describe, expect, test } from 'vitest';
import { call } from '../../../test/factories.ts';
import { useIdentityHouse } from '../../../test/identity-house.ts';
import { newestToken } from '../../../test/links.ts';
import { sql } from '../../database/sql.ts';

const house = useIdentityHouse();
const password = 'correct horse battery';
const post = (path: string, body: unknown, headers = {}) => call(house, 'POST', path, body, headers);
const signIn = (email: string) => post('/v1/auth/session', { provider: 'local', email, password });
const googleToken = (claims: object) => house.providers.mint({ family: 'google', claims: { ...claims } });

/** Registers another person's address and attaches every kind of credential. */
async function hijack(email: string) {
  await post('/v1/auth/register', { email, password });
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
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into second_factors (user_id, sealed_secret, created_at, confirmed_at)
      values (${session.user.id}, 'sealed', ${tx.now}, ${tx.now})`),
  );
  expect([linked.status, key.status]).toEqual([200, 201]);
  return { userId: session.user.id, session, headers, identity, key: key.body.secret, workspaceId };
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
  const ownersPassword = 'only the owner knows this';
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

test('after a verification by the link alone, a reset still ends what the registered password attached', async () => {
  const email = 'late@corp.example.org';
  await post('/v1/auth/register', { email, password });
  await post('/v1/auth/resend-verification', { email });
  await post('/v1/auth/verify-email', { token: await newestToken(house, email) });
  const { body: session } = await signIn(email);
  const headers = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': session.workspace.id };
  const path = `/v1/workspaces/${session.workspace.id}`;
  const key = await post(`${path}/api-keys`, { name: 'k', role: 'viewer' }, headers);
  const identity = { sub: 'late attacker', email: 'late-attacker@example.org' };
  const link = { provider: 'google', idToken: googleToken(identity), password };
  expect((await post('/v1/me/identities', link, headers)).status).toBe(200);
  await post('/v1/auth/forgot-password', { email });
  const token = await newestToken(house, email);
  expect((await post('/v1/auth/reset-password', { token, password: 'another good secret' })).status).toBe(200);
  const asKey = { authorization: `Bearer ${key.body.secret}`, 'x-workspace-id': session.workspace.id };
  expect((await call(house, 'GET', `${path}/members`, undefined, asKey)).status).toBe(401);
  expect((await house.signIn('google', googleToken(identity))).body.user?.id).not.toBe(session.user.id);
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
