import { expect, test } from 'vitest';
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
