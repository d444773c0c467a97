import { describe, expect, test } from 'vitest';
import { someTenant } from '../../../emulators/identity.ts';
import { call, makeOwner } from '../../../test/worlds/factories.ts';
import { asGoogle, type IdentityHouse, useIdentityHouse } from '../../../test/worlds/identity-house.ts';
import { sql } from '../../ground/database/sql.ts';

const otherTenant = '22222222-2222-4222-8222-222222222222';
const password = 'correct horse battery';

const google = (house: IdentityHouse, claims: object) =>
  house.providers.mint({ family: 'google', claims: { ...claims } });
const entra = (house: IdentityHouse, claims: object, tenant = someTenant) =>
  house.providers.mint({ family: 'entra', tenant, claims: { ...claims } });
const register = async (house: IdentityHouse, email: string) =>
  (await call(house, 'POST', '/v1/auth/register', { email, password })).body.userId;
const signInLocally = (house: IdentityHouse, email: string) =>
  call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password });
const verify = (house: IdentityHouse, email: string) =>
  house.app.db.tx((tx) => tx.run(sql`update users set email_verified_at = ${tx.now} where email_key = ${email}`));

describe('an account of the same address', () => {
  const house = useIdentityHouse(asGoogle);
  let count = 0;
  const someone = async (domain = 'example.org') => {
    const email = `someone-${++count}@${domain}`;
    return { email, userId: await register(house, email), sub: `sub-${count}` };
  };

  test.each([
    ['Google hosts the mailbox', 'google', 'gmail.com', {}],
    ['the organisation has proven its domain to Google', 'google', 'example.org', { hd: 'Example.ORG' }],
    ['the tenant is trusted and has proven its domain', 'microsoft', 'example.org', { xms_edov: true }],
    ['… as text', 'microsoft', 'example.org', { xms_edov: 'true' }],
    ['… as a number', 'microsoft', 'example.org', { xms_edov: 1 }],
    ['… as a number in text', 'microsoft', 'example.org', { xms_edov: '1' }],
  ])('is linked where %s', async (_what, provider, domain, claims) => {
    const { email, userId, sub } = await someone(domain);
    await verify(house, email);
    const mint = provider === 'google' ? google : entra;
    const linked = await house.signIn(provider, mint(house, { sub, email: email.toUpperCase(), ...claims }));
    expect([linked.status, linked.body.user?.id]).toEqual([200, userId]);
    // Later sign-ins need only the subject.
    const later = await house.signIn(provider, mint(house, { sub, email: undefined }));
    expect(later.body.user.id).toBe(userId);
    expect((await signInLocally(house, email)).status).toBe(200);
  });

  test.each([
    ['says nothing of its domain', {}],
    ['has not proven its domain', { xms_edov: false }],
    ['… as text', { xms_edov: 'false' }],
    ['… as a number', { xms_edov: '0' }],
    ['… as nothing', { xms_edov: null }],
    ['claims what Google would', { email_verified: true, hd: 'example.org' }],
  ])('is not linked to an account of a tenant that %s (nOAuth)', async (_what, claims) => {
    const { email, sub } = await someone();
    for (const verified of [false, true]) {
      if (verified) await verify(house, email);
      const answer = await house.signIn('microsoft', entra(house, { sub, email, ...claims }));
      expect([answer.status, answer.body.key]).toEqual([409, 'auth.identity_not_linked']);
    }
    expect((await signInLocally(house, email)).status).toBe(200);
  });

  test.each([
    ['not verified', { email_verified: false, hd: 'example.org' }],
    ['verified in words', { email_verified: 'true', hd: 'example.org' }],
    ['verified by a number', { email_verified: 1, hd: 'example.org' }],
    ['verified once, by an account of no organisation', { email_verified: true }],
    ['of another organisation', { email_verified: true, hd: 'evil.example' }],
    ['of organisations', { email_verified: true, hd: ['example.org'] }],
  ])('an address of somebody’s that is %s', async (_what, claims) => {
    const { email } = await makeOwner(house);
    const answer = await house.signIn('google', google(house, { sub: 'thief', email, ...claims }));
    expect([answer.status, answer.body.key]).toEqual([409, 'auth.identity_not_linked']);
  });

  test('another user’s gmail address is not linked unless Google says that it is verified', async () => {
    const { userId } = await makeOwner(house);
    await house.app.db.tx((tx) =>
      tx.run(sql`update users set email = 'x@gmail.com', email_key = 'x@gmail.com' where id = ${userId}`),
    );
    for (const isVerified of [false, 'true', null, undefined]) {
      const claims = { sub: 'thief', email: 'x@gmail.com', email_verified: isVerified };
      expect((await house.signIn('google', google(house, claims))).body.key).toBe('auth.identity_not_linked');
    }
  });

  test('is not linked by letters that only fold to the address', async () => {
    await register(house, 'kelvin@gmail.com');
    const answer = await house.signIn('google', google(house, { sub: 'kelvin', email: '\u212aelvin@gmail.com' }));
    expect(answer.body.key).toBe('auth.identity_not_linked');
  });

  test('that was never verified loses all credentials of its maker (pre-hijacking)', async () => {
    const { email, userId, sub } = await someone('gmail.com');
    const attacker = (await signInLocally(house, email)).body;
    const { id: workspaceId } = attacker.workspace;
    const asAttacker = { authorization: `Bearer ${attacker.accessToken}`, 'x-workspace-id': workspaceId };
    const keys = `/v1/workspaces/${workspaceId}/api-keys`;
    const key = (await call(house, 'POST', keys, { name: 'k', role: 'viewer' }, asAttacker)).body;
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`
        insert into second_factors (user_id, sealed_secret, created_at, confirmed_at)
        values (${userId}, 'sealed', ${tx.now}, ${tx.now})`);
      await tx.run(sql`
        insert into identities (issuer, subject, id, provider, user_id, linked_at)
        values (${house.providers.googleIssuer}, 'attacker', ${tx.newId()}, 'oauth_a', ${userId}, ${tx.now})`);
    });

    const owner = await house.signIn('google', google(house, { sub, email }));
    expect(owner).toMatchObject({ status: 200, body: { user: { id: userId, emailVerifiedAt: expect.any(String) } } });

    expect((await signInLocally(house, email)).body.key).toBe('auth.invalid_credentials');
    expect((await call(house, 'GET', '/v1/me', undefined, asAttacker)).status).toBe(401);
    const { refreshToken } = attacker;
    expect((await call(house, 'POST', '/v1/auth/refresh', { refreshToken })).status).toBe(401);
    expect((await house.signIn('google', google(house, { sub: 'attacker', email: undefined }))).status).toBe(401);
    const asKey = { authorization: `Bearer ${key.secret}`, 'x-workspace-id': workspaceId };
    expect((await call(house, 'GET', `/v1/workspaces/${workspaceId}/tickets`, undefined, asKey)).status).toBe(401);
  });

  test('the link is in the audit log of its workspaces', async () => {
    const { email, userId, sub } = await someone('gmail.com');
    await verify(house, email);
    await house.signIn('google', google(house, { sub, email }));
    const entries = await house.app.db.rows(sql`
      select type, actor_user_id as "actorId", data
      from audit_log
      where subject_id = ${userId} and type = 'identity.linked'`);
    expect(entries).toEqual([{ type: 'identity.linked', actorId: userId, data: { provider: 'oauth_a' } }]);
  });
});

describe('where another issuer than Google is set', () => {
  const house = useIdentityHouse();

  test('it cannot vouch for mailboxes that Google hosts', async () => {
    const email = 'someone@gmail.com';
    await register(house, email);
    for (const more of [{}, { hd: 'gmail.com' }]) {
      const answer = await house.signIn('google', google(house, { sub: 'elsewhere', email, ...more }));
      expect([answer.status, answer.body.key]).toEqual([409, 'auth.identity_not_linked']);
    }
  });
});

describe('where any tenant may sign in', () => {
  const house = useIdentityHouse((providers) => ({ ...asGoogle(providers), OAUTH_B_ALLOWED_TENANTS: '' }));

  test('the owner of an address evicts a stranger whose tenant claimed that it was verified', async () => {
    const email = 'owner@gmail.com';
    const claims = { sub: 'stranger', email, email_verified: true };
    const stranger = await house.signIn('microsoft', entra(house, claims, otherTenant));
    expect(stranger.body.user.emailVerifiedAt).toBeNull();
    const owner = await house.signIn('google', google(house, { sub: 'owner', email }));
    expect(owner.body.user.id).toBe(stranger.body.user.id);
    const again = await house.signIn('microsoft', entra(house, { sub: 'stranger', email: undefined }, otherTenant));
    expect(again).toMatchObject({ status: 401, body: { key: 'auth.identity_token_invalid' } });
  });

  test('no tenant is trusted to vouch for an address', async () => {
    const { email } = await makeOwner(house);
    const answer = await house.signIn('microsoft', entra(house, { sub: 's', email, xms_edov: true }, otherTenant));
    expect(answer.body.key).toBe('auth.identity_not_linked');
    const fresh = entra(house, { sub: 's', email: 'fresh@example.org', xms_edov: true }, otherTenant);
    expect((await house.signIn('microsoft', fresh)).body.user.emailVerifiedAt).toBeNull();
  });

  test('equal subjects of two tenants are two people', async () => {
    const [one, two] = await Promise.all([
      house.signIn('microsoft', entra(house, { sub: 'equal', email: 'one@example.org' })),
      house.signIn('microsoft', entra(house, { sub: 'equal', email: 'two@example.org' }, otherTenant)),
    ]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.body.user.id).not.toBe(two.body.user.id);
  });
});

describe('where one tenant alone is the issuer', () => {
  const house = useIdentityHouse(({ entraIssuer }) => ({
    OAUTH_B_ISSUER: entraIssuer(someTenant),
    OAUTH_B_ALLOWED_TENANTS: '',
  }));

  test('it is trusted to vouch, and no other tenant signs in', async () => {
    const { email, userId } = await makeOwner(house);
    const linked = await house.signIn('microsoft', entra(house, { email, xms_edov: '1' }));
    expect(linked.body.user?.id).toBe(userId);
    expect((await house.signIn('microsoft', entra(house, { email }, otherTenant))).status).toBe(401);
  });
});
