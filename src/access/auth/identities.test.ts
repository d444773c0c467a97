import { expect, test } from 'vitest';
import { mailsTo, newestToken } from '../../../test/harness/links.ts';
import { call, givePassword, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { useIdentityHouse } from '../../../test/worlds/identity-house.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useIdentityHouse();
const password = 'correct horse battery';
const identities = '/v1/me/identities';
const google = (claims: object) => house.providers.mint({ family: 'google', claims: { ...claims } });

const makePerson = async () => givePassword(house, await makeOwner(house), password);

const link = (person: Person, claims: object, more: object = {}) =>
  person.call('POST', identities, { provider: 'google', idToken: google(claims), password, ...more });
const typesOf = async ({ userId }: Person) =>
  (
    await house.app.db.rows<{ type: string }>(sql`
      select type from audit_log where subject_id = ${userId} and type like 'identity.%' order by id`)
  ).map(({ type }) => type);

test('a user links an identity of another address, signs in with it, and unlinks it', async () => {
  const person = await makePerson();
  const claims = { sub: 'mine', email: 'private@example.org', email_verified: false };
  const linked = await link(person, claims);
  expect(linked).toMatchObject({ status: 200, body: [{ provider: 'oauth_a', issuer: house.providers.url }] });
  expect((await link(person, claims)).body).toEqual(linked.body);
  expect((await person.call('GET', identities)).body).toEqual(linked.body);
  expect((await house.signIn('google', google(claims))).body.user.id).toBe(person.userId);

  const own = `${identities}/${linked.body[0].id}`;
  expect((await person.call('DELETE', own, { password })).status).toBe(204);
  expect((await person.call('DELETE', own, { password })).body.key).toBe('identity.not_found');
  expect((await person.call('GET', identities)).body).toEqual([]);
  const after = await house.signIn('google', google({ ...claims, email: person.email }));
  expect(after.body.key).toBe('auth.identity_not_linked');
  expect(await typesOf(person)).toEqual(['identity.linked', 'identity.unlinked', 'identity.refused']);
  expect(await mailsTo(house, person.email)).toHaveLength(2);
});

test('a session alone neither links nor unlinks', async () => {
  const person = await makePerson();
  const [{ id }] = (await link(person, { sub: 'kept' })).body;
  for (const given of [undefined, 'wrong password']) {
    expect((await link(person, { sub: 'stolen' }, { password: given })).body.key).toBe('auth.invalid_credentials');
    const unlinked = await person.call('DELETE', `${identities}/${id}`, { password: given });
    expect(unlinked.body.key).toBe('auth.invalid_credentials');
  }
  expect((await person.call('GET', identities)).body).toHaveLength(1);
});

test('an identity signs in to one account', async () => {
  const [one, two] = [await makePerson(), await makePerson()];
  const both = await Promise.all([link(one, { sub: 'contested' }), link(two, { sub: 'contested' })]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(both.find(({ status }) => status === 409)?.body.key).toBe('auth.identity_taken');
});

test('a user cannot unlink another user’s identity', async () => {
  const [one, two] = [await makePerson(), await makePerson()];
  const [{ id }] = (await link(one, { sub: 'theirs' })).body;
  expect((await two.call('DELETE', `${identities}/${id}`, { password })).body.key).toBe('identity.not_found');
  expect((await one.call('GET', identities)).body).toHaveLength(1);
});

test('a forged token links nothing', async () => {
  const person = await makePerson();
  const forged = await link(person, { sub: 'forged', aud: 'someone-else' });
  expect([forged.status, forged.body.key]).toEqual([401, 'auth.identity_token_invalid']);
  const unknown = await person.call('POST', identities, { provider: 'local', idToken: 'x', password });
  expect(unknown.body.key).toBe('request.invalid');
});

test('a password reset of an unverified account locks its maker out (pre-hijacking)', async () => {
  const claims = { sub: 'waiting', email: 'waited-for@example.org', email_verified: false };
  expect((await house.signIn('google', google(claims))).status).toBe(200);
  await call(house, 'POST', '/v1/auth/forgot-password', { email: claims.email });
  const token = await newestToken(house, claims.email);
  expect((await call(house, 'POST', '/v1/auth/reset-password', { token, password })).status).toBe(200);
  expect((await house.signIn('google', google(claims))).body.key).toBe('auth.identity_not_linked');
});
