import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkspaceId } from '../../src/ground/lib/ids.ts';
import { readEvents } from '../harness/event-reader.ts';
import { buildReplica } from '../harness/harness.ts';
import { uploadApart } from '../harness/uploads.ts';
import { call, makeKey, makeMember, makeOwner, type Person } from '../worlds/factories.ts';
import { operationsOf } from './api-walk.ts';
import { buildWalkedHouse, numberFarAhead, walkHidden } from './isolation.ts';
import { fill, makeWorld, type World } from './isolation-world.ts';

/** Enough for a busy machine. */
const walkTimeoutMs = 1_200_000;

let house: Awaited<ReturnType<typeof buildWalkedHouse>>;
beforeAll(async () => {
  house = await buildWalkedHouse();
});
afterAll(() => house?.close());

/** A team that keeps its tickets to its members, who are the given ones. */
async function makeTeam(owner: Person, members: readonly Person[] = []): Promise<string> {
  const memberIds = members.map(({ userId }) => userId);
  const { body } = await owner.call('POST', '/teams', { name: 'People', visibility: 'members', memberIds });
  return body.id;
}

type Theirs = Pick<World, 'owner' | 'colleague' | 'teamId'>;

/** From whom the tickets are hidden: two people outside their team, or two keys of an owner for another team. */
const outsiders: Record<string, (theirs: Theirs) => Promise<Theirs>> = {
  member: async ({ owner: { workspaceId } }) => ({
    owner: await makeMember(house, workspaceId, 'admin', 'outside'),
    colleague: await makeMember(house, workspaceId, 'admin', 'outside'),
  }),
  key: async ({ owner }) => {
    const { body: team } = await owner.call('POST', '/teams', { name: 'Sales' });
    const [key, other] = [await makeKey(owner, [team.id]), await makeKey(owner, [team.id])];
    return { owner: key, colleague: other, teamId: team.id };
  },
};

test.each(['member', 'key'])('no route tells a %s of hidden tickets', { timeout: walkTimeoutMs }, async (kind) => {
  const { body: document } = await call(house, 'GET', '/v1/openapi.json');
  const theirs = await makeWorld(house, `theirs-${kind}`);
  await fill(house, theirs, operationsOf(document));
  await numberFarAhead(house, theirs);
  const { workspaceId } = theirs.owner;
  const teamId = await makeTeam(theirs.owner);
  await house.app.db.pool.query('update tickets set team_id = $1 where workspace_id = $2', [teamId, workspaceId]);
  const hidden: World = { ...theirs, marker: '81234567', ids: await idsOfTickets(workspaceId) };
  const secrets = new Set([...hidden.ids.values()].flatMap((ids) => [...ids]));
  const shared = [...theirs.ids].map(
    ([name, ids]) => [name, new Set([...ids].filter((id) => !secrets.has(id)))] as const,
  );
  const outside = await outsiders[kind]!(theirs);
  const { body: counts } = await outside.owner.call('GET', '/counts');
  // A key counts its maker's drafts of no ticket.
  const lists = { ...counts.lists, drafts: null };
  expect(JSON.stringify({ ...counts, lists })).not.toMatch(/"count":[1-9]/);
  const ours: World = { ...theirs, ...outside, ids: new Map(shared) };
  if (ours.teamId !== undefined) ours.ids.set('teamId', new Set([ours.teamId]));
  expect(await walkHidden(house, ours, hidden)).toEqual([]);
  expect([...ours.ids.values()].flatMap((ids) => [...ids]).filter((id) => secrets.has(id))).toEqual([]);
  expect(ours.ids.get('ticketId')?.size).toBeGreaterThan(5);
});

test('a search, a stream and a signed address tell nothing of a ticket from when it is hidden', async () => {
  const owner = await makeOwner(house);
  const outsider = await makeMember(house, owner.workspaceId, 'agent', 'outside');
  const teamId = await makeTeam(owner);
  const [open, secret] = [await makeTicket(owner), await makeTicket(owner)];
  const { body: seen } = await outsider.call('GET', `/tickets/${secret.id}`);
  const url = seen.messages[0].attachments[0].url.slice(house.app.config.publicUrl.length);
  expect((await call(house, 'GET', url)).status).toBe(200);
  await outsider.call('PUT', `/tickets/${secret.id}/drafts/answer`, { version: 0, body: 'b' });
  await owner.call('PATCH', `/tickets/${secret.id}`, { assigneeId: outsider.userId });
  await house.app.db.pool.query(`update messages set delivery_status = 'failed' where ticket_id = $1`, [secret.id]);
  const toldOf = async (): Promise<string[]> => {
    const told: string[] = [];
    for (const path of ['/drafts', '/notifications', '/notifications?unread=true', '/messages/undelivered'])
      if (JSON.stringify((await outsider.call('GET', path)).body).includes(secret.id)) told.push(path);
    return told;
  };
  expect(await toldOf()).toHaveLength(4);
  const stream = await readEvents(house, outsider);
  await owner.call('PATCH', `/tickets/${secret.id}`, { teamId, assigneeId: null });
  await owner.call('PUT', `/tickets/${secret.id}/presence`, { state: 'viewing' });
  await owner.call('PATCH', `/tickets/${open.id}`, { tags: ['open'] });
  await owner.call('PUT', `/tickets/${open.id}/presence`, { state: 'viewing' });
  const events = await stream.until((told) =>
    ['ticket', 'presence'].every((name) => told.some((one) => one.event === name)),
  );
  stream.close();
  expect(JSON.stringify(events)).toContain(open.id);
  // The change that hides it is told, so that screens drop the ticket.
  const ofSecret = events.filter(({ data }) => data.ticketId === secret.id);
  expect(ofSecret).toMatchObject(
    ['ticket.assigned', 'ticket.team_changed'].map((type) => ({ event: 'ticket', data: { type, ticket: null } })),
  );
  expect((await call(house, 'GET', url)).status).toBe(404);
  expect(await toldOf()).toEqual([]);
  const { body: found } = await outsider.call('GET', '/tickets?search=pumpkin');
  expect(found.map(({ id }: { id: string }) => id)).toEqual([open.id]);
});

test('a signed address shows what its member sees when it is opened', async () => {
  const owner = await makeOwner(house);
  const member = await makeMember(house, owner.workspaceId, 'agent', 'outside');
  await makeTeam(owner);
  const ticket = await makeTicket(owner);
  const { body: seen } = await member.call('GET', `/tickets/${ticket.id}`);
  const url = seen.messages[0].attachments[0].url.slice(house.app.config.publicUrl.length);
  const statusAfter = async (access: string) => {
    await owner.call('PATCH', `/members/${member.userId}`, { access });
    return (await call(house, 'GET', url)).status;
  };
  expect([await statusAfter('all'), await statusAfter('teams'), await statusAfter('all')]).toEqual([200, 404, 200]);
  await owner.call('DELETE', `/members/${member.userId}`);
  expect((await call(house, 'GET', url)).status).toBe(404);
});

test('who leaves a restricted team is out within a second, in another process too', async () => {
  const owner = await makeOwner(house);
  const member = await makeMember(house, owner.workspaceId, 'agent');
  const teamId = await makeTeam(owner, [member]);
  const { body: ticket } = await member.call('POST', '/tickets', { subject: 'pumpkin', body: 'b', teamId });
  const replica = await buildReplica(house, 1);
  try {
    const path = `/v1/workspaces/${owner.workspaceId}/tickets/${ticket.id}`;
    const headers = { authorization: `Bearer ${member.token}`, 'x-workspace-id': owner.workspaceId };
    const ask = async (at: { url: string }) => (await call(at, 'GET', path, undefined, headers)).status;
    const stream = await readEvents(replica, member);
    await stream.until(() => stream.lastEventId() !== '');
    expect([await ask(house), await ask(replica)]).toEqual([200, 200]);
    await owner.call('DELETE', `/teams/${teamId}/members/${member.userId}`);
    expect(await ask(house)).toBe(404);
    house.clock.advance(1_000);
    expect(await ask(replica)).toBe(404);
    await stream.ended;
    const again = await readEvents(replica, member, { lastEventId: stream.lastEventId() });
    await owner.call('PATCH', `/tickets/${ticket.id}`, { priority: 'high' });
    const { body: open } = await owner.call('POST', '/tickets', { subject: 'open', body: 'b' });
    await again.until((events) => events.some(({ data }) => data.ticketId === open.id));
    again.close();
    expect(stream.text() + again.text()).not.toContain(ticket.id);
  } finally {
    await replica.close();
  }
});

/** A ticket whose message has a file. */
async function makeTicket(owner: Person): Promise<{ id: string }> {
  const { body: file } = await uploadApart(house, owner);
  const { body } = await owner.call('POST', '/tickets', { subject: 'pumpkin', body: 'b', attachmentIds: [file.id] });
  return body;
}

async function idsOfTickets(workspaceId: WorkspaceId): Promise<World['ids']> {
  const { rows } = await house.app.db.pool.query(
    `
    select 'ticketId' as name, id::text from tickets where workspace_id = $1
    union all select 'ticketNumber', max(ticket_number)::text from tickets where workspace_id = $1
    union all select 'messageId', id::text from messages where workspace_id = $1
    union all select 'attachmentId', id::text from attachments where workspace_id = $1 and ticket_id is not null
    union all select 'rawMailId', id::text from raw_mails where workspace_id = $1 and message_id is not null`,
    [workspaceId],
  );
  const names = Map.groupBy(rows, ({ name }) => name as string);
  return new Map([...names].map(([name, found]) => [name, new Set(found.map(({ id }) => id as string))]));
}
