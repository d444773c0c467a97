import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { mailsTo, newestToken } from '../../../test/harness/links.ts';
import { call, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse({ EMAIL_VERIFICATION: 'required', REGISTRATION: 'invite' });
const password = 'correct horse battery';
let counter = 0;
const newAddress = () => `Guest.${++counter}@Example.org`;
const invite = (by: Person, email: string, role = 'agent', headers?: Record<string, string>) =>
  by.call('POST', '/invites', { email, role }, headers);
const accept = (body: object) => call(house, 'POST', '/v1/auth/accept-invite', { password, ...body });

/** Access tokens live for an hour, so after a long time the user signs in again. */
async function asAlive<Result>(person: Person, work: () => Promise<Result>): Promise<Result> {
  const { userId, sessionId } = person;
  const token = house.app.tokens.sign({ userId, sessionId });
  const before = person.call;
  person.call = (method, path, body, headers) =>
    before(method, path, body, { ...headers, authorization: `Bearer ${token}` });
  return work();
}

describe('inviting', () => {
  test('the answer has everything except the token, which goes by mail', async () => {
    const owner = await makeOwner(house, 'Acme');
    const email = newAddress();
    const answer = await invite(owner, email, 'admin');
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      email,
      role: 'admin',
      access: 'all',
      invitedBy: owner.userId,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(answer.body.expiresAt) - Date.parse(answer.body.createdAt)).toBe(7 * 86_400_000);
    const [mail] = await mailsTo(house, email);
    expect(mail?.subject).toBe('Invitation to Acme');
    expect(mail?.text).toMatch(/^http:\/\/localhost:3000\/accept-invite\?token=[\w-]{43}$/m);
  });

  test('an invitation is repeated with its Idempotency-Key, once', async () => {
    const owner = await makeOwner(house);
    const email = newAddress();
    const headers = { 'idempotency-key': 'invite-1' };
    const first = await invite(owner, email, 'agent', headers);
    const second = await invite(owner, email, 'agent', headers);
    expect([second.status, second.body, second.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    expect(await mailsTo(house, email)).toHaveLength(1);
  });

  test('owners and admins invite; only owners invite owners', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    expect((await invite(admin, newAddress(), 'admin')).status).toBe(201);
    expect((await invite(admin, newAddress(), 'owner')).body.key).toBe('auth.role_insufficient');
    expect((await invite(owner, newAddress(), 'owner')).status).toBe(201);
    expect((await invite(agent, newAddress(), 'viewer')).status).toBe(403);
    expect((await agent.call('GET', '/invites')).status).toBe(403);
  });

  test('whoever is invited with access to teams sees only theirs from the first request on', async () => {
    const owner = await makeOwner(house);
    const guest = await makeOwner(house);
    await owner.call('POST', '/tickets', { subject: 's', body: 'b' });
    await owner.call('POST', '/invites', { email: guest.email, role: 'agent', access: 'teams' });
    const token = await newestToken(house, guest.email);
    expect((await guest.call('POST', '/v1/me/accept-invite', { token })).status).toBe(200);
    const headers = { 'x-workspace-id': owner.workspaceId };
    const list = await guest.call('GET', `/v1/workspaces/${owner.workspaceId}/tickets`, undefined, headers);
    expect([list.status, list.body]).toEqual([200, []]);
  });

  test('a member cannot be invited again, in any letter case; a member of another workspace can', async () => {
    const owner = await makeOwner(house);
    const other = await makeOwner(house);
    expect((await invite(owner, owner.email.toUpperCase())).body.key).toBe('invite.already_member');
    expect((await invite(owner, other.email)).status).toBe(201);
  });

  test.each([
    [{ email: 'no-address', role: 'agent' }],
    [{ email: 'a@example.org', role: 'king' }],
    [{ email: 'a@example.org' }],
    [{ role: 'agent' }],
    [{ email: ['a@example.org'], role: 'agent' }],
    [{ email: 'a\u0000@example.org', role: 'agent' }],
  ])('%j is 400', async (body) => {
    const owner = await makeOwner(house);
    expect((await owner.call('POST', '/invites', body)).body.key).toBe('request.invalid');
    expect((await owner.call('GET', '/invites')).body).toEqual([]);
  });

  test('pending invitations of one workspace are listed newest first', async () => {
    const [owner, other] = [await makeOwner(house), await makeOwner(house)];
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await invite(owner, newAddress())).body.id);
    await invite(other, newAddress());
    const list = await owner.call('GET', '/invites?limit=2');
    expect(list.body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    const next = /^<(.+)>/.exec(list.headers.get('link') ?? '')?.[1] ?? '';
    expect((await owner.call('GET', next)).body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    house.clock.advance(1);
    await house.app.db.tx((tx) => tx.run(sql`update invites set expires_at = ${tx.now} where id = ${ids[0]}`));
    expect((await owner.call('GET', '/invites')).body).toHaveLength(2);
  });

  test('a revoked invitation is void; revoking it again, or from outside, is 404', async () => {
    const [owner, other] = [await makeOwner(house), await makeOwner(house)];
    const email = newAddress();
    const { id } = (await invite(owner, email)).body;
    const token = await newestToken(house, email);
    expect((await other.call('DELETE', `/invites/${id}`)).body.key).toBe('invite.not_found');
    const revoked = await owner.call('DELETE', `/invites/${id}`);
    expect([revoked.status, revoked.body]).toEqual([204, '']);
    expect((await owner.call('DELETE', `/invites/${id}`)).status).toBe(404);
    expect((await accept({ token, email })).body.key).toBe('auth.link_expired');
  });

  test('an admin cannot revoke an invitation of an owner', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const { id } = (await invite(owner, newAddress(), 'owner')).body;
    expect((await admin.call('DELETE', `/invites/${id}`)).status).toBe(403);
    expect((await owner.call('DELETE', `/invites/${id}`)).status).toBe(204);
  });
});

describe('inviting again', () => {
  const resend = (by: Person, id: string, headers?: Record<string, string>) =>
    by.call('POST', `/invites/${id}/resend`, undefined, headers);

  test('a resent invitation has a new link beside the old one, for another 7 days', async () => {
    const owner = await makeOwner(house);
    const email = newAddress();
    const { id, expiresAt } = (await invite(owner, email)).body;
    const first = await newestToken(house, email);
    house.clock.advance(3 * 86_400_000);
    const answer = await asAlive(owner, () => resend(owner, id));
    expect([answer.status, answer.body]).toMatchObject([200, { id, email, role: 'agent', invitedBy: owner.userId }]);
    expect(Date.parse(answer.body.expiresAt) - Date.parse(expiresAt)).toBeGreaterThanOrEqual(3 * 86_400_000);
    const second = await newestToken(house, email);
    expect(second).not.toBe(first);
    expect((await accept({ token: first, email })).status).toBe(200);
    expect((await accept({ token: second, email })).status).toBe(410);
  });

  test('an invitation is mailed at most once a minute', async () => {
    const owner = await makeOwner(house);
    const email = newAddress();
    const { id } = (await invite(owner, email)).body;
    const answers = await Promise.all([resend(owner, id), resend(owner, id), resend(owner, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
    const refused = await resend(owner, id);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await mailsTo(house, email)).toHaveLength(2);
    house.clock.advance(61_000);
    expect((await resend(owner, id)).status).toBe(200);
  });

  test('an expired invitation is pending again; its expired link stays void', async () => {
    const owner = await makeOwner(house);
    const email = newAddress();
    const { id } = (await invite(owner, email)).body;
    const dead = await newestToken(house, email);
    house.clock.advance(8 * 86_400_000);
    expect((await asAlive(owner, () => resend(owner, id))).status).toBe(200);
    expect((await accept({ token: dead, email })).status).toBe(410);
    expect((await accept({ token: await newestToken(house, email), email })).status).toBe(200);
  });

  test('an accepted, revoked or foreign invitation is 404', async () => {
    const [owner, other] = [await makeOwner(house), await makeOwner(house)];
    const email = newAddress();
    const { id } = (await invite(owner, email)).body;
    expect((await resend(other, id)).body.key).toBe('invite.not_found');
    await accept({ token: await newestToken(house, email), email });
    expect((await resend(owner, id)).body.key).toBe('invite.not_found');
    const revoked = (await invite(owner, newAddress())).body.id;
    await owner.call('DELETE', `/invites/${revoked}`);
    expect((await resend(owner, revoked)).body.key).toBe('invite.not_found');
  });

  test('an admin cannot resend an owner’s invitation, and nobody can resend one to a member', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const { id } = (await invite(owner, newAddress(), 'owner')).body;
    expect((await resend(admin, id)).body.key).toBe('auth.role_insufficient');
    const guest = await makeOwner(house);
    const toGuest = (await invite(owner, guest.email)).body.id;
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into members (workspace_id, user_id, role, created_at)
        values (${owner.workspaceId}, ${guest.userId}, 'viewer', ${tx.now})`),
    );
    expect((await resend(owner, toGuest)).body.key).toBe('invite.already_member');
  });

  test('an address has at most ten pending invitations to a workspace', async () => {
    const owner = await makeOwner(house);
    const email = newAddress();
    for (let count = 0; count < 10; count++) expect((await invite(owner, email)).status).toBe(201);
    const refused = await invite(owner, email.toUpperCase());
    expect([refused.status, refused.body.key]).toEqual([409, 'invite.too_many']);
    expect((await invite(owner, newAddress())).status).toBe(201);
  });

  test('revoking invitations allows no more mails to an address within a day', async () => {
    const owner = await makeOwner(house);
    const email = newAddress();
    const inviteAndRevoke = async () => {
      const { status, body } = await invite(owner, email);
      await owner.call('DELETE', `/invites/${body.id}`);
      return status;
    };
    for (let count = 0; count < 10; count++) expect(await inviteAndRevoke()).toBe(201);
    expect(await inviteAndRevoke()).toBe(409);
    house.clock.advance(24 * 3_600_000 + 60_000);
    const token = house.app.tokens.sign({ userId: owner.userId, sessionId: owner.sessionId });
    const later = await owner.call('POST', '/invites', { email, role: 'agent' }, { authorization: `Bearer ${token}` });
    expect(later.status).toBe(201);
  });

  test('a workspace has at most a thousand pending invitations', async () => {
    const owner = await makeOwner(house);
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into invites (workspace_id, id, email, email_key, role, invited_by, created_at, expires_at)
        select ${owner.workspaceId}, gen_random_uuid(), n || '@example.org', n || '@example.org', 'agent',
          ${owner.userId}, ${tx.now}, ${tx.now}::timestamptz + interval '7 days'
        from generate_series(1, 1000) n`),
    );
    expect((await invite(owner, newAddress())).body).toMatchObject({ key: 'invite.too_many', params: { max: 1000 } });
  });
});
