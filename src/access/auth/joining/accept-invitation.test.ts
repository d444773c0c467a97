import { expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { newestToken } from '../../../../test/harness/links.ts';
import { call, givePassword, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';

const house = useHouse({ EMAIL_VERIFICATION: 'required', REGISTRATION: 'invite' });
const password = 'correct horse battery';
let counter = 0;
const newAddress = () => `Guest.${++counter}@Example.org`;
const accept = (body: object) => call(house, 'POST', '/v1/auth/accept-invite', { password, ...body });

async function invited(by: Person, email: string, role = 'agent'): Promise<string> {
  expect((await by.call('POST', '/invites', { email, role })).status).toBe(201);
  return newestToken(house, email);
}

test('a new account is made and verified, and the answer is a session', async () => {
  const owner = await makeOwner(house, 'Acme');
  const email = newAddress();
  const token = await invited(owner, email, 'viewer');
  const { status, body } = await accept({ token, email: email.toLowerCase(), name: 'Guest' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    expiresIn: 3600,
    user: { email, name: 'Guest', emailVerifiedAt: expect.any(String) },
    workspace: { id: owner.workspaceId, name: 'Acme', role: 'viewer' },
  });
  const headers = { authorization: `Bearer ${body.accessToken}`, 'x-workspace-id': owner.workspaceId };
  expect((await call(house, 'GET', `/v1/workspaces/${owner.workspaceId}`, undefined, headers)).status).toBe(200);
  expect((await call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password })).status).toBe(200);
  expect((await accept({ token, email })).body.key).toBe('auth.link_expired');
  expect((await owner.call('GET', '/invites')).body).toEqual([]);
});

test('an existing account gives its own password', async () => {
  const owner = await makeOwner(house);
  const guest = await givePassword(house, await makeOwner(house), password);
  const token = await invited(owner, guest.email);
  const wrong = await accept({ token, email: guest.email, password: 'a new password' });
  expect([wrong.status, wrong.body.key]).toEqual([401, 'auth.invalid_credentials']);
  const right = await accept({ token, email: guest.email });
  expect([right.status, right.body.user.id, right.body.workspaces.length]).toEqual([200, guest.userId, 2]);
});

test('a signed-in user accepts without a password, only for their own address', async () => {
  const owner = await makeOwner(house, 'Acme');
  const guest = await makeOwner(house);
  const token = await invited(owner, guest.email, 'viewer');
  const acceptAs = (person: Person) => person.call('POST', '/v1/me/accept-invite', { token });
  const stranger = await acceptAs(await makeOwner(house));
  expect([stranger.status, stranger.body.key]).toEqual([403, 'invite.address_mismatch']);
  const { status, body } = await acceptAs(guest);
  expect(status).toBe(200);
  expect(body.workspaces).toContainEqual({ id: owner.workspaceId, name: 'Acme', role: 'viewer' });
  const again = await acceptAs(guest);
  expect([again.status, again.body.key]).toEqual([410, 'auth.link_expired']);
});

test('another address is refused and spends nothing', async () => {
  const owner = await makeOwner(house);
  const email = newAddress();
  const token = await invited(owner, email);
  const other = await accept({ token, email: 'someone-else@example.org' });
  expect([other.status, other.body.key]).toEqual([403, 'invite.address_mismatch']);
  expect((await accept({ token, email })).status).toBe(200);
});

test('a user who is already a member gets 409', async () => {
  const owner = await makeOwner(house);
  const guest = await givePassword(house, await makeOwner(house), password);
  const token = await invited(owner, guest.email);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into members (workspace_id, user_id, role, created_at)
      values (${owner.workspaceId}, ${guest.userId}, 'viewer', ${tx.now})`),
  );
  expect((await accept({ token, email: guest.email })).body.key).toBe('invite.already_member');
  expect((await owner.call('GET', '/members')).body.map(({ role }: { role: string }) => role)).toEqual([
    'owner',
    'viewer',
  ]);
});

test('an existing account with a second factor gives its code first', async () => {
  const owner = await makeOwner(house);
  const guest = await givePassword(house, await makeOwner(house), password);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into second_factors (user_id, sealed_secret, created_at, confirmed_at)
      values (${guest.userId}, 'sealed', ${tx.now}, ${tx.now})`),
  );
  const token = await invited(owner, guest.email);
  const answer = await accept({ token, email: guest.email });
  expect([answer.status, answer.body.key]).toEqual([401, 'auth.second_factor_required']);
  expect(answer.body.params.challenge).toMatch(/^[\w-]{43}$/);
  expect((await owner.call('GET', '/members')).body).toHaveLength(1);
  expect((await owner.call('GET', '/invites')).body).toHaveLength(1);
});

test('of two invitations one is used, and the other is void', async () => {
  const owner = await makeOwner(house);
  const email = newAddress();
  const older = await invited(owner, email, 'viewer');
  const newer = await invited(owner, email, 'agent');
  expect((await accept({ token: older, email })).body.workspace.role).toBe('viewer');
  expect((await accept({ token: newer, email })).status).toBe(410);
});

test('two invitations of one person, accepted concurrently, create one member', async () => {
  const owner = await makeOwner(house);
  for (let round = 0; round < 5; round++) {
    const guest = await givePassword(house, await makeOwner(house), password);
    const tokens = [await invited(owner, guest.email), await invited(owner, guest.email)];
    const answers = await Promise.all(tokens.map((token) => accept({ token, email: guest.email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
  }
  expect((await owner.call('GET', '/members')).body).toHaveLength(6);
});

test('one invitation, accepted many times concurrently, creates one account', async () => {
  const owner = await makeOwner(house);
  const email = newAddress();
  const token = await invited(owner, email);
  const answers = await Promise.all([1, 2, 3, 4].map(() => accept({ token, email })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
  expect((await owner.call('GET', '/members')).body).toHaveLength(2);
});

test('an invitation expires after 7 days', async () => {
  const owner = await makeOwner(house);
  const email = newAddress();
  const token = await invited(owner, email);
  house.clock.advance(7 * 86_400_000 + 1_000);
  expect((await accept({ token, email })).status).toBe(410);
});

test('a verification token is no invitation, and odd tokens are 410', async () => {
  for (const token of ['nonsense', "'; drop table users; --", 'ü']) {
    expect((await accept({ token, email: 'a@example.org' })).status).toBe(410);
  }
  expect((await accept({ token: 7, email: 'a@example.org' })).status).toBe(400);
  expect((await accept({ token: 'x', email: 'a@example.org', password: 'short' })).status).toBe(400);
});
