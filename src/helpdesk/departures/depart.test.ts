import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { newestToken } from '../../../test/harness/links.ts';
import { findLockWaits } from '../../../test/harness/lock-waits.ts';
import { call, givePassword, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { mintInvitationToken } from '../../access/accounts/link-token.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();
const password = 'correct horse battery';
const remove = (by: Person, { userId }: { userId: string }) => by.call('DELETE', `/members/${userId}`);
const rolesOf = async (person: Person): Promise<string[]> =>
  (await person.call('GET', '/members')).body.map(({ role }: { role: string }) => role).sort();

async function makeTicket(by: Person, assignee: Person | null, status = 'open'): Promise<string> {
  const { body } = await by.call('POST', '/tickets', {
    subject: 'Help',
    body: 'It does not work',
    ...(assignee && { assigneeId: assignee.userId }),
  });
  if (status !== 'open') await by.call('POST', `/tickets/${body.id}/status`, { toStatus: status });
  return body.id;
}

describe('who may', () => {
  test('owners and admins remove others; only owners remove owners', async () => {
    const owner = await makeOwner(house);
    const join = (role: 'owner' | 'admin' | 'agent' | 'viewer') => makeMember(house, owner.workspaceId, role);
    const [second, admin, otherAdmin, agent, viewer] = [
      await join('owner'),
      await join('admin'),
      await join('admin'),
      await join('agent'),
      await join('viewer'),
    ];
    for (const by of [agent, viewer])
      for (const who of [owner, admin, agent === by ? viewer : agent])
        expect((await remove(by, who)).body.key).toBe('auth.role_insufficient');
    expect((await remove(admin, owner)).body.key).toBe('auth.role_insufficient');
    const removed = await remove(admin, otherAdmin);
    expect([removed.status, removed.body]).toEqual([204, '']);
    expect((await remove(admin, agent)).status).toBe(204);
    expect((await remove(owner, second)).status).toBe(204);
    expect(await rolesOf(owner)).toEqual(['admin', 'owner', 'viewer']);
  });

  test('everyone may leave, and the last owner must stay', async () => {
    const owner = await makeOwner(house);
    for (const role of ['admin', 'agent', 'viewer', 'owner'] as const) {
      const member = await makeMember(house, owner.workspaceId, role);
      expect((await remove(member, member)).status).toBe(204);
      expect((await member.call('GET', '/tickets')).body.key).toBe('workspace.forbidden');
      expect((await member.call('GET', '/v1/me')).body.workspaces).toEqual([]);
    }
    const refused = await remove(owner, owner);
    expect([refused.status, refused.body.key]).toEqual([409, 'member.last_owner']);
    expect(await rolesOf(owner)).toEqual(['owner']);
  });

  test('of two owners who leave or remove each other at once, one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const owner = await makeOwner(house);
      const other = await makeMember(house, owner.workspaceId, 'owner');
      const answers =
        round % 2 === 0
          ? await Promise.all([remove(owner, owner), remove(other, other)])
          : await Promise.all([remove(owner, other), remove(other, owner)]);
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses[0]).toBe(204);
      expect([403, 409]).toContain(statuses[1]);
      const left = (await owner.call('GET', '/members')).status === 200 ? owner : other;
      expect(await rolesOf(left)).toEqual(['owner']);
    }
  });

  test('members of another workspace, unknown and removed members are the same 404', async () => {
    const [owner, other] = [await makeOwner(house), await makeOwner(house)];
    const gone = await makeMember(house, owner.workspaceId, 'agent');
    await remove(owner, gone);
    for (const who of [other, gone, { userId: '00000000-0000-7000-8000-000000000000' }]) {
      const answer = await remove(owner, who);
      expect([answer.status, answer.body.key]).toEqual([404, 'member.not_found']);
    }
    expect((await other.call('GET', '/members')).body).toHaveLength(1);
    expect((await remove(owner, { userId: 'me' })).status).toBe(400);
  });
});

describe('what stays and what goes', () => {
  test('their tickets become unassigned with a fact and a version each, and other tickets stay', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const theirs = [
      await makeTicket(owner, agent),
      await makeTicket(owner, agent, 'pending'),
      await makeTicket(owner, agent, 'closed'),
    ];
    const kept = await makeTicket(owner, owner);
    const before = (await owner.call('GET', `/tickets/${theirs[0]}`)).body;
    await remove(owner, agent);
    for (const id of theirs) {
      const { body: ticket } = await owner.call('GET', `/tickets/${id}`);
      expect(ticket.assigneeId).toBeNull();
      const { items } = (await owner.call('GET', `/tickets/${id}/events`)).body;
      expect(items.at(-1)).toMatchObject({
        type: 'ticket.assigned',
        actor: { userId: owner.userId },
        data: { from: agent.userId, to: null },
      });
    }
    const after = (await owner.call('GET', `/tickets/${theirs[0]}`)).body;
    expect(after).toMatchObject({ status: 'open', version: before.version + 1, lastMessageAt: before.lastMessageAt });
    expect((await owner.call('GET', `/tickets/${kept}`)).body.assigneeId).toBe(owner.userId);
  });

  test('messages keep their author', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
    const id = await makeTicket(owner, agent);
    await agent.call('POST', `/tickets/${id}/messages`, { body: 'I look into it', isInternal: true });
    await remove(owner, agent);
    const { messages } = (await owner.call('GET', `/tickets/${id}`)).body;
    expect(messages.at(-1).author).toMatchObject({ userId: agent.userId, name: 'Ben' });
  });

  test('their invitations stop working, or they could come back by them', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const invite = (by: Person, email: string) => by.call('POST', '/invites', { email, role: 'admin' });
    await invite(admin, 'back-door@example.org');
    await invite(owner, 'front-door@example.org');
    const token = await newestToken(house, 'back-door@example.org');
    await remove(owner, admin);
    const { body: pending } = await owner.call('GET', '/invites');
    expect(pending.map(({ email }: { email: string }) => email)).toEqual(['front-door@example.org']);
    const accepted = await call(house, 'POST', '/v1/auth/accept-invite', {
      token,
      email: 'back-door@example.org',
      password,
    });
    expect(accepted.status).toBe(410);
  });

  test('a person invited again starts clean, with the same session', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'admin');
    await givePassword(house, agent, password);
    await makeTicket(owner, agent);
    await agent.call('POST', '/views', { name: 'Mine', query: {}, isShared: false });
    await agent.call('POST', '/api-keys', { name: 'k', role: 'agent' });
    expect((await agent.call('GET', '/notifications/unread-count')).body.count).toBe(1);
    await remove(owner, agent);
    expect((await agent.call('GET', '/notifications')).body.key).toBe('workspace.forbidden');

    await owner.call('POST', '/invites', { email: agent.email, role: 'agent' });
    const token = await newestToken(house, agent.email);
    const joined = await call(house, 'POST', '/v1/auth/accept-invite', { token, email: agent.email, password });
    expect([joined.status, joined.body.workspace.role]).toEqual([200, 'agent']);
    expect((await agent.call('GET', '/notifications')).body.items).toEqual([]);
    expect((await agent.call('GET', '/tickets?assignee=me')).body).toEqual([]);
    expect((await owner.call('GET', '/api-keys')).body).toEqual([]);
  });
});

describe('a member of many tickets', () => {
  const many = 750;

  async function giveMany(owner: Person, agent: Person): Promise<void> {
    const { workspaceId } = owner;
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, assignee_id,
          channel, message_count, last_message_at, created_at, updated_at, version, search)
        select ${workspaceId}, gen_random_uuid(), 1000 + n, 'Old',
          case when n % 10 = 0 then 'open' else 'closed' end, 'normal', 2, ${agent.userId},
          'api', 0, ${tx.now}, ${tx.now}, ${tx.now}, 1, ''
        from generate_series(1, ${many}::int) n`),
    );
  }
  const leftOf = async ({ userId, workspaceId }: Person) =>
    house.app.db.one<{ open: number; all: number; members: number }>(sql`
      select count(*) filter (where t.status = 'open') as open, count(*) as all,
        (select count(*) from members m where m.workspace_id = ${workspaceId} and m.user_id = ${userId}) as members
      from tickets t
      where t.workspace_id = ${workspaceId} and t.assignee_id = ${userId}`);

  test('is removed at once and their open tickets are free; the rest follows, once', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await giveMany(owner, agent);
    expect((await remove(owner, agent)).status).toBe(204);
    expect((await agent.call('GET', '/tickets')).body.key).toBe('workspace.forbidden');
    expect((await agent.call('GET', '/v1/me')).body.workspaces).toEqual([]);
    expect(await rolesOf(owner)).toEqual(['owner']);
    expect((await remove(owner, agent)).status).toBe(404);
    expect(await leftOf(agent)).toEqual({ open: 0, all: many - 300, members: 1 });

    await house.drain();
    expect(await leftOf(agent)).toEqual({ open: 0, all: 0, members: 0 });
    const { facts } = await house.app.db.one<{ facts: number }>(sql`
      select count(*) as facts from activity a
      where a.workspace_id = ${owner.workspaceId} and a.type = 'ticket.assigned'`);
    expect(facts).toBe(many);
    await house.drain();
  });

  test('is invited again while leaving, and joins when that is done', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await givePassword(house, agent, password);
    await giveMany(owner, agent);
    await remove(owner, agent);
    const invite = (await owner.call('POST', '/invites', { email: agent.email, role: 'viewer' })).body;
    const token = await mintedFor(owner, invite.id);
    const accept = () => call(house, 'POST', '/v1/auth/accept-invite', { token, email: agent.email, password });
    const early = await accept();
    expect([early.status, early.body.key, early.headers.get('retry-after')]).toEqual([503, 'unavailable', '10']);
    await house.drain();
    expect((await accept()).status).toBe(200);
    expect(await rolesOf(owner)).toEqual(['owner', 'viewer']);
  });

  /** Mints the link here, because the job that mails links must not run yet. */
  async function mintedFor({ workspaceId }: Person, inviteId: string): Promise<string> {
    const expiresAt = new Date(house.clock.now().getTime() + 60_000).toISOString();
    return house.app.db.tx((tx) => mintInvitationToken(tx, 'invitation', { workspaceId, id: inviteId, expiresAt }));
  }
});

test('whatever is assigned to a member during the removal, no ticket stays with them', async () => {
  const owner = await makeOwner(house);
  for (let round = 0; round < 4; round++) {
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const tickets = await Promise.all([1, 2, 3, 4].map(() => makeTicket(owner, null)));
    const [removed, ...answers] = await Promise.all([
      remove(owner, agent),
      ...tickets.map((id) => owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId })),
      ...tickets.map((id) =>
        owner.call('POST', `/tickets/${id}/messages`, { body: `@[A](user:${agent.userId}) look`, isInternal: true }),
      ),
    ]);
    expect(removed?.status).toBe(204);
    expect(answers.filter(({ status }) => ![200, 201, 400].includes(status))).toEqual([]);
    for (const id of tickets) expect((await owner.call('GET', `/tickets/${id}`)).body.assigneeId).toBeNull();
  }
});

test('a mention of a member during the removal is written and notifies nobody', async () => {
  const owner = await makeOwner(house);
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const id = await makeTicket(owner, null);
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const removal = house.app.db.tx(async (tx) => {
    await tx.run(sql`delete from members where workspace_id = ${owner.workspaceId} and user_id = ${agent.userId}`);
    held.resolve();
    await released.promise;
  });
  await held.promise;
  const posted = owner.call('POST', `/tickets/${id}/messages`, {
    body: `@[A](user:${agent.userId}) look`,
    isInternal: true,
  });
  await expect.poll(() => findLockWaits(house.databaseUrl)).toHaveLength(1);
  released.resolve();
  await removal;
  expect((await posted).status).toBe(201);
});
