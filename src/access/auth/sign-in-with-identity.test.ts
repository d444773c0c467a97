import { describe, expect, test } from 'vitest';
import { someTenant } from '../../../emulators/identity.ts';
import { mailsTo, newestToken } from '../../../test/harness/links.ts';
import { call, makeOwner } from '../../../test/worlds/factories.ts';
import { asGoogle, type IdentityHouse, useIdentityHouse } from '../../../test/worlds/identity-house.ts';
import { sql } from '../../ground/database/sql.ts';

const password = 'correct horse battery';

const google = (house: IdentityHouse, claims: object) =>
  house.providers.mint({ family: 'google', claims: { ...claims } });
const entra = (house: IdentityHouse, claims: object, tenant = someTenant) =>
  house.providers.mint({ family: 'entra', tenant, claims: { ...claims } });
const countOf = async (house: IdentityHouse, email: string) =>
  (await house.app.db.rows(sql`select 1 from users where email_key = ${email}`)).length;
const register = async (house: IdentityHouse, email: string) =>
  (await call(house, 'POST', '/v1/auth/register', { email, password })).body.userId;
const signInLocally = (house: IdentityHouse, email: string) =>
  call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password });

describe('an unknown identity', () => {
  const house = useIdentityHouse(asGoogle);

  test('gets an account and its first workspace, once', async () => {
    const token = google(house, { sub: 'new-1', email: 'New.One@Example.org', name: 'New\r\nOne' });
    const first = await house.signIn('oauth_a', token);
    expect(first).toMatchObject({
      status: 200,
      body: {
        user: { email: 'New.One@Example.org', name: 'New One', emailVerifiedAt: expect.any(String) },
        workspace: { name: 'Workspace of New One', role: 'owner' },
      },
    });
    const again = await house.signIn('google', google(house, { sub: 'new-1', email: 'new.one@example.org' }));
    expect(again.body.user).toEqual(first.body.user);
    expect(again.body.workspaces).toEqual(first.body.workspaces);
  });

  test('has no password, and no password signs in', async () => {
    await house.signIn('google', google(house, { sub: 'no-password', email: 'no-password@example.org' }));
    expect((await signInLocally(house, 'no-password@example.org')).body.key).toBe('auth.invalid_credentials');
  });

  test('signs in unverified where verification is off', async () => {
    const claims = { sub: 'unproven', email: 'unproven@example.org', email_verified: false };
    const { status, body } = await house.signIn('google', google(house, claims));
    expect([status, body.user.emailVerifiedAt]).toEqual([200, null]);
    const later = await house.signIn('google', google(house, { ...claims, email_verified: true }));
    expect(later.body.user.emailVerifiedAt).toEqual(expect.any(String));
  });

  test('that names a foreign workspace creates nothing', async () => {
    const { workspaceId } = await makeOwner(house);
    const token = google(house, { sub: 'elsewhere', email: 'elsewhere@example.org' });
    expect((await house.signIn('google', token, { workspaceId })).body.key).toBe('workspace.forbidden');
    expect(await countOf(house, 'elsewhere@example.org')).toBe(0);
    expect((await house.signIn('google', token)).status).toBe(200);
  });

  test('creates one account and one workspace in ten concurrent first sign-ins', async () => {
    const token = google(house, { sub: 'at-once', email: 'at-once@example.org' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => house.signIn('google', token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1);
    expect((await house.signIn('google', token)).body.workspaces).toHaveLength(1);
  });

  test('shares one account with a concurrent identity of the same address, if both are vouched for', async () => {
    const email = 'both-at-once@gmail.com';
    const answers = await Promise.all([
      house.signIn('google', google(house, { sub: 'both-a', email })),
      house.signIn('microsoft', entra(house, { sub: 'both-b', email, xms_edov: true })),
      house.signIn('google', google(house, { sub: 'both-c', email })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1);
  });

  test('and a concurrent registration with a password share one account, in either order', async () => {
    const email = 'race@example.org';
    await Promise.all([
      register(house, email),
      house.signIn('google', google(house, { sub: 'race', email, email_verified: true })),
    ]);
    expect(await countOf(house, email)).toBe(1);
  });
});

describe('a known identity', () => {
  const house = useIdentityHouse();

  test('is found by the subject, whatever address the provider has now', async () => {
    const { body } = await house.signIn('google', google(house, { sub: 'moved', email: 'before@example.org' }));
    const victim = await makeOwner(house);
    for (const email of ['after@example.org', victim.email, undefined]) {
      const later = await house.signIn('google', google(house, { sub: 'moved', email }));
      expect([later.status, later.body.user]).toEqual([200, body.user]);
    }
  });

  test('is a different person in each tenant, even with equal subjects', async () => {
    const here = await house.signIn('microsoft', entra(house, { sub: 'equal', email: 'here@example.org' }));
    const there = await house.signIn('google', google(house, { sub: 'equal', email: 'there@example.org' }));
    expect([here.status, there.status]).toEqual([200, 200]);
    expect(here.body.user.id).not.toBe(there.body.user.id);
  });

  test('at Entra is one account across our client ids, matched by `oid`', async () => {
    const oid = '33333333-3333-4333-8333-333333333333';
    const signIn = async (claims: object) =>
      (await house.signIn('microsoft', entra(house, { email: 'pairwise@example.org', ...claims }))).body.user?.id;
    const userId = await signIn({ sub: 'first-client' });
    expect(await signIn({ sub: 'first-client', oid })).toBe(userId);
    expect(await signIn({ sub: 'second-client', oid: oid.toUpperCase() })).toBe(userId);
    expect(await signIn({ sub: 'second-client' })).toBe(userId);
  });

  test('at Entra is not matched by a subject that looks like its object id', async () => {
    const oid = '44444444-4444-4444-8444-444444444444';
    const victim = await house.signIn('microsoft', entra(house, { sub: 'victim', oid, email: 'victim@example.org' }));
    const claims = { sub: `oid:${oid}`, email: 'impostor@example.org' };
    const first = await house.signIn('microsoft', entra(house, claims));
    const again = await house.signIn('microsoft', entra(house, claims));
    expect([victim.status, first.status, again.status]).toEqual([200, 200, 200]);
    expect(first.body.user.id).not.toBe(victim.body.user.id);
    expect(again.body.user.id).toBe(first.body.user.id);
  });

  test('is asked for the code of a second factor', async () => {
    const token = google(house, { sub: 'careful', email: 'careful@example.org' });
    const { body } = await house.signIn('google', token);
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into second_factors (user_id, sealed_secret, created_at, confirmed_at)
        values (${body.user.id}, 'sealed', ${tx.now}, ${tx.now})`),
    );
    expect(await house.signIn('google', token)).toMatchObject({
      status: 401,
      body: { key: 'auth.second_factor_required', params: { challenge: expect.any(String) } },
    });
  });

  test('signs in again with the same token until it expires', async () => {
    const token = google(house, { sub: 'again', email: 'again@example.org' });
    expect((await house.signIn('google', token)).status).toBe(200);
    expect((await house.signIn('google', token)).status).toBe(200);
    house.clock.advance(3_700_000);
    expect((await house.signIn('google', token)).body.key).toBe('auth.identity_token_invalid');
  });
});

describe('with verification required', () => {
  const house = useIdentityHouse(() => ({ EMAIL_VERIFICATION: 'required' }));
  const claims = { sub: 'pending', email: 'pending@example.org', email_verified: false };

  test('an unverified address is verified once by a mailed link', async () => {
    for (let tries = 0; tries < 3; tries++) {
      const answer = await house.signIn('google', google(house, claims));
      expect([answer.status, answer.body.key]).toEqual([403, 'auth.email_not_verified']);
    }
    expect(await mailsTo(house, claims.email)).toHaveLength(1);
    const token = await newestToken(house, claims.email);
    expect((await call(house, 'POST', '/v1/auth/verify-email', { token })).status).toBe(200);
    expect((await house.signIn('google', google(house, claims))).status).toBe(200);
  });

  test('an address that the provider has verified counts as verified', async () => {
    const verified = { ...claims, sub: 'verified', email: 'verified@example.org', email_verified: true };
    expect((await house.signIn('google', google(house, verified))).status).toBe(200);
    expect(await mailsTo(house, verified.email)).toEqual([]);
  });
});

describe('with registration by invitation', () => {
  const house = useIdentityHouse((providers) => ({ ...asGoogle(providers), REGISTRATION: 'invite' }));
  const closed = async (claims: object) => {
    const answer = await house.signIn('google', google(house, claims));
    expect([answer.status, answer.body.key]).toEqual([403, 'auth.registration_closed']);
  };

  test('an address without an invitation gets no account', async () => {
    await closed({ sub: 'uninvited', email: 'uninvited@gmail.com' });
    expect(await countOf(house, 'uninvited@gmail.com')).toBe(0);
  });

  test('an invited address that is not vouched for gets no account either', async () => {
    const owner = await makeOwner(house);
    await owner.call('POST', '/invites', { email: 'invited@example.org', role: 'admin' });
    await closed({ sub: 'invited', email: 'invited@example.org', email_verified: true });
    expect(await countOf(house, 'invited@example.org')).toBe(0);
  });

  test('a vouched, invited address joins by the newest invitation of each workspace, which spends it', async () => {
    const email = 'welcome@gmail.com';
    const [one, two] = [await makeOwner(house, 'One'), await makeOwner(house, 'Two')];
    await one.call('POST', '/invites', { email, role: 'viewer' });
    await one.call('POST', '/invites', { email, role: 'agent' });
    await two.call('POST', '/invites', { email: 'Welcome@Gmail.com', role: 'admin' });
    const token = await newestToken(house, email);
    const { body } = await house.signIn('google', google(house, { sub: 'welcome', email }));
    const roles = body.workspaces.map(({ name, role }: { name: string; role: string }) => [name, role]);
    expect(roles.sort()).toEqual([
      ['One', 'agent'],
      ['Two', 'admin'],
    ]);
    expect((await one.call('GET', '/invites')).body).toEqual([]);
    expect((await call(house, 'POST', '/v1/auth/accept-invite', { token, email, password })).status).toBe(410);
  });

  test('an expired or revoked invitation does not count', async () => {
    const owner = await makeOwner(house);
    const { body } = await owner.call('POST', '/invites', { email: 'revoked@gmail.com', role: 'agent' });
    await owner.call('DELETE', `/invites/${body.id}`);
    await closed({ sub: 'revoked', email: 'revoked@gmail.com' });
    await owner.call('POST', '/invites', { email: 'late@gmail.com', role: 'agent' });
    house.clock.advance(7 * 86_400_000 + 1_000);
    await closed({ sub: 'late', email: 'late@gmail.com' });
  });

  test('an existing account is linked as usual', async () => {
    const { userId, email } = await makeOwner(house);
    const linked = await house.signIn('google', google(house, { sub: 'at-home', email, hd: 'example.org' }));
    expect(linked.body.user.id).toBe(userId);
  });
});

describe('names and addresses of providers', () => {
  const house = useIdentityHouse(({ url }) => ({
    OAUTH_A_NAME: 'corp',
    OAUTH_A_ISSUER: '',
    OAUTH_A_JWKS_URI: `${url}/oauth2/v3/certs`,
    OAUTH_B_CLIENT_ID: '',
  }));

  test('Google has two spellings of its issuer, and they are one', async () => {
    const users = [];
    for (const iss of ['https://accounts.google.com', 'accounts.google.com', 'https://accounts.google.com']) {
      const { body } = await house.signIn('corp', google(house, { iss, email: 'two-spellings@example.org' }));
      users.push(body.user?.id);
    }
    expect(users).toEqual([expect.any(String), users[0], users[0]]);
  });

  test('a provider is found only by its place and its configured name', async () => {
    const token = google(house, { iss: 'accounts.google.com', email: 'named@example.org', sub: 'named' });
    expect((await house.signIn('oauth_a', token)).status).toBe(200);
    for (const name of ['google', 'Corp', 'OAUTH_A', '']) {
      const answer = await house.signIn(name, token);
      expect([answer.status, answer.body.key]).toEqual([400, 'request.invalid']);
    }
  });

  test.each(['oauth_b', 'microsoft'])('%s is not set up', async (provider) => {
    const answer = await house.signIn(provider, undefined);
    expect([answer.status, answer.body.key]).toEqual([400, 'auth.provider_not_configured']);
  });
});
