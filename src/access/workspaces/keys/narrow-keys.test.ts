import { beforeEach, expect, test } from 'vitest';
import { readEvents } from '../../../../test/harness/event-reader.ts';
import { buildReplica, useHouse } from '../../../../test/harness/harness.ts';
import { uploadApart } from '../../../../test/harness/uploads.ts';
import { call, makeKey, makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { newId } from '../../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
let sales: string;
let people: string;

beforeEach(async () => {
  owner = await makeOwner(house);
  const makeTeam = async (body: object) => (await owner.call('POST', '/teams', body)).body.id;
  sales = await makeTeam({ name: 'Sales' });
  people = await makeTeam({ name: 'People', visibility: 'members' });
});

async function makeTicket(teamId: string | null, more: object = {}): Promise<string> {
  const { status, body } = await owner.call('POST', '/tickets', { subject: 'pumpkin', body: 'pumpkin', ...more });
  expect(status).toBe(201);
  await owner.call('PATCH', `/tickets/${body.id}`, { teamId });
  return body.id;
}

async function listedBy(key: Person, query = 'status=open'): Promise<string[]> {
  const { body } = await key.call('GET', `/tickets?${query}`);
  return body.map(({ id }: { id: string }) => id).toSorted();
}

const keyIdOf = async (by: Person) => (await by.call('GET', '/api-keys')).body[0].id;

test('a key of teams lists, finds, counts and reads their tickets alone', async () => {
  const [ours, ofPeople, ofNone] = [await makeTicket(sales), await makeTicket(people), await makeTicket(null)];
  const key = await makeKey(owner, [sales]);
  for (const query of ['status=open', 'search=pumpkin']) expect(await listedBy(key, query)).toEqual([ours]);
  expect((await key.call('GET', '/counts')).body.lists.open.count).toBe(1);
  expect((await key.call('GET', `/tickets/${ours}`)).status).toBe(200);
  for (const id of [ofPeople, ofNone]) {
    expect((await key.call('GET', `/tickets/${id}`)).body.key).toBe('ticket.not_found');
    expect((await key.call('PATCH', `/tickets/${id}`, { priority: 'high' })).status).toBe(404);
  }
  const whole = await makeKey(owner, null);
  expect(await listedBy(whole)).toEqual([ours, ofPeople, ofNone].toSorted());
});

test('it sees no ticket of its teams that its maker does not see, and says no draft of other tickets', async () => {
  const admin = await makeMember(house, owner.workspaceId, 'admin');
  const [theirs, ofNone] = [await makeTicket(people), await makeTicket(null)];
  await admin.call('PUT', `/tickets/${ofNone}/drafts/answer`, { version: 0, body: 'A secret' });
  const key = await makeKey(admin, [people]);
  expect(await listedBy(key)).toEqual([]);
  const { body: drafts } = await key.call('GET', '/drafts');
  expect(JSON.stringify(drafts)).not.toContain('A secret');
  await owner.call('POST', `/tickets/${theirs}/followers`, { userId: admin.userId });
  expect(await listedBy(key)).toEqual([theirs]);
});

test('a change of its teams holds with the next request, in another process within a second', async () => {
  const [ofSales, ofPeople] = [await makeTicket(sales), await makeTicket(people)];
  const key = await makeKey(owner, null);
  const id = await keyIdOf(owner);
  const replica = await buildReplica(house, 1);
  try {
    const path = `/v1/workspaces/${owner.workspaceId}/tickets?status=open`;
    const headers = { authorization: `Bearer ${key.token}`, 'x-workspace-id': owner.workspaceId };
    const seen = async (at: { url: string }) =>
      (await call(at, 'GET', path, undefined, headers)).body.map((row: { id: string }) => row.id);
    expect([await seen(house), await seen(replica)].map((ids) => ids.length)).toEqual([2, 2]);
    const stream = await readEvents(replica, key);
    await stream.until(() => stream.lastEventId() !== '');
    const changed = await owner.call('PATCH', `/api-keys/${id}`, { name: 'Sales only', teamIds: [sales] });
    expect([changed.status, changed.body]).toMatchObject([200, { name: 'Sales only', teamIds: [sales] }]);
    expect(await seen(house)).toEqual([ofSales]);
    house.clock.advance(1_000);
    expect(await seen(replica)).toEqual([ofSales]);
    await stream.ended;
    // Between teams nothing is kept in a cache.
    await owner.call('PATCH', `/api-keys/${id}`, { teamIds: [people] });
    expect([await seen(house), await seen(replica)]).toEqual([[ofPeople], [ofPeople]]);
    await owner.call('DELETE', `/api-keys/${id}`);
    house.clock.advance(1_000);
    expect((await call(replica, 'GET', path, undefined, headers)).status).toBe(401);
  } finally {
    await replica.close();
  }
});

test('its stream tells of tickets of its teams, and that one leaves them', async () => {
  const [ours, ofNone] = [await makeTicket(sales), await makeTicket(null)];
  const key = await makeKey(owner, [sales]);
  const stream = await readEvents(house, key);
  await stream.until(() => stream.lastEventId() !== '');
  await owner.call('PATCH', `/tickets/${ofNone}`, { priority: 'high' });
  await owner.call('PATCH', `/tickets/${ofNone}`, { assigneeId: owner.userId });
  await owner.call('PATCH', `/tickets/${ofNone}`, { assigneeId: null, teamId: people });
  await owner.call('PATCH', `/tickets/${ours}`, { teamId: people });
  const events = await stream.until((told) => told.some(({ data }) => data.ticketId === ours));
  stream.close();
  expect(JSON.stringify(events)).not.toContain(ofNone);
  expect(events.findLast(({ data }) => data.ticketId === ours)?.data).toMatchObject({
    ...{ type: 'ticket.team_changed', ticket: null },
  });
});

test('the address of a file asks for the key again', async () => {
  const { body: file } = await uploadApart(house, owner);
  const ours = await makeTicket(sales, { attachmentIds: [file.id] });
  const key = await makeKey(owner, [sales]);
  const { body } = await key.call('GET', `/tickets/${ours}`);
  const url = body.messages[0].attachments[0].url.slice(house.app.config.publicUrl.length);
  const statusOf = async () => (await call(house, 'GET', url)).status;
  expect(await statusOf()).toBe(200);
  const id = await keyIdOf(owner);
  await owner.call('PATCH', `/api-keys/${id}`, { teamIds: [people] });
  expect(await statusOf()).toBe(404);
  await owner.call('PATCH', `/api-keys/${id}`, { teamIds: [sales] });
  expect(await statusOf()).toBe(200);
  await owner.call('DELETE', `/api-keys/${id}`);
  expect(await statusOf()).toBe(404);
});

test('what it changes by a query are its tickets alone, and it reads and undoes only its own changes', async () => {
  const [ours, ofNone] = [await makeTicket(sales), await makeTicket(null)];
  const key = await makeKey(owner, [sales]);
  const everywhere = await owner.call('POST', '/tickets/bulk', { query: { status: ['open'] }, priority: 'low' });
  await house.drain();
  expect((await key.call('GET', `/bulk-changes/${everywhere.body.id}`)).status).toBe(404);
  expect((await key.call('POST', `/bulk-changes/${everywhere.body.id}/undo`)).status).toBe(404);
  const own = await key.call('POST', '/tickets/bulk', { query: { status: ['open'] }, priority: 'high' });
  await house.drain();
  const prioritiesOf = () =>
    Promise.all([ours, ofNone].map(async (id) => (await owner.call('GET', `/tickets/${id}`)).body.priority));
  expect(await prioritiesOf()).toEqual(['high', 'low']);
  expect((await key.call('GET', '/bulk-changes')).body).toMatchObject([{ id: own.body.id, total: 1, changed: 1 }]);
  await key.call('POST', `/bulk-changes/${own.body.id}/undo`);
  await house.drain();
  expect(await prioritiesOf()).toEqual(['low', 'low']);
});

test('a change by a query ends with the key that asked for it', async () => {
  const ours = await makeTicket(sales);
  const key = await makeKey(owner, [sales]);
  const { body: change } = await key.call('POST', '/tickets/bulk', { query: { status: ['open'] }, priority: 'high' });
  await owner.call('DELETE', `/api-keys/${await keyIdOf(owner)}`);
  await house.drain();
  expect((await owner.call('GET', `/bulk-changes/${change.id}`)).body).toMatchObject({ state: 'stopped', changed: 0 });
  expect((await owner.call('GET', `/tickets/${ours}`)).body.priority).not.toBe('high');
});

test('the look of an owner’s key into a restricted team is noted', async () => {
  const theirs = await makeTicket(people);
  const key = await makeKey(owner, [people]);
  expect((await key.call('GET', `/tickets/${theirs}`)).status).toBe(200);
  const { body } = await owner.call('GET', '/audit?type=ticket.opened_by_owner');
  expect(body.items).toMatchObject([{ subject: { id: theirs }, actor: { apiKeyName: 'Robot' } }]);
});

test('only its maker changes it, for teams of the workspace', async () => {
  const admin = await makeMember(house, owner.workspaceId, 'admin');
  const stranger = await makeOwner(house);
  const { body: foreign } = await stranger.call('POST', '/teams', { name: 'Elsewhere' });
  await makeKey(owner, [sales, people, sales]);
  const id = await keyIdOf(owner);
  expect((await owner.call('GET', '/api-keys')).body[0].teamIds).toEqual([sales, people].toSorted());
  expect((await admin.call('PATCH', `/api-keys/${id}`, { teamIds: null })).body.key).toBe('key.not_yours');
  expect((await stranger.call('PATCH', `/api-keys/${id}`, { teamIds: null })).body.key).toBe('key.not_found');
  for (const teamId of [foreign.id, newId()]) {
    const issues = [{ path: 'body.teamIds', key: 'not_a_team' }];
    for (const answer of [
      await owner.call('PATCH', `/api-keys/${id}`, { teamIds: [teamId] }),
      await owner.call('POST', '/api-keys', { name: 'k', role: 'agent', teamIds: [sales, teamId] }),
    ])
      expect(answer).toMatchObject({ status: 400, body: { params: { issues } } });
  }
  expect((await owner.call('PATCH', `/api-keys/${id}`, { teamIds: [] })).status).toBe(400);
  await owner.call('PATCH', `/api-keys/${id}`, { teamIds: [people] });
  await owner.call('PATCH', `/api-keys/${id}`, { teamIds: [people] });
  const { body } = await owner.call('GET', '/audit?type=key.created&type=key.changed');
  expect(body.items.map(({ type, data }: any) => ({ type, data }))).toEqual([
    { type: 'key.changed', data: { name: 'Robot', changed: ['teamIds'], teamIds: [people] } },
    { type: 'key.created', data: { name: 'Robot', role: 'admin', teamIds: [sales, people].toSorted() } },
  ]);
});

test('a team that a key names is archived, and not deleted', async () => {
  const key = await makeKey(owner, [sales]);
  const ours = await makeTicket(sales);
  expect((await owner.call('PATCH', `/teams/${sales}`, { archived: true })).status).toBe(200);
  expect(await listedBy(key)).toEqual([ours]);
  await makeKey(owner, [people]);
  expect(await owner.call('DELETE', `/teams/${people}`)).toMatchObject({
    ...{ status: 409, body: { key: 'in_use', params: { rules: [], autoReplies: [], apiKeys: ['Robot'] } } },
  });
  await owner.call('PATCH', `/api-keys/${await keyIdOf(owner)}`, { teamIds: null });
  expect((await owner.call('DELETE', `/teams/${people}`)).status).toBe(204);
});
