import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { type EventReader, type ReadOptions, readEvents } from '../../../test/harness/event-reader.ts';
import { buildHouse, useHouse } from '../../../test/harness/harness.ts';
import { call, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql, toText } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
const readers: EventReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

/** Opens a stream that has begun: it delivers what happens from now on. */
async function read(person: Pick<Person, 'workspaceId' | 'token'>, options?: ReadOptions): Promise<EventReader> {
  const reader = await readEvents(house, person, options);
  readers.push(reader);
  const isResumed = options?.lastEventId !== undefined || options?.query !== undefined;
  if (reader.status === 200 && !isResumed) await reader.until(() => reader.lastEventId() !== '');
  return reader;
}

const typesOf = ({ events }: EventReader) => events.map(({ event, data }) => `${event} ${data.type}`);
const makeTicket = async (person: Person, fields: object = {}): Promise<{ id: string; ticketNumber: number }> =>
  (await person.call('POST', '/tickets', { subject: 's', body: 'b', ...fields })).body;

test('changes, messages and notifications arrive with the ticket as lists show it', async () => {
  const owner = await makeOwner(house);
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const [ofOwner, ofAgent] = [await read(owner), await read(agent)];
  const ticket = await makeTicket(owner, { assigneeId: agent.userId });
  await owner.call('POST', `/tickets/${ticket.id}/messages`, {
    body: `${'A long note. '.repeat(20)}secret`,
    isInternal: true,
  });
  await ofAgent.until(({ length }) => length === 4);
  await ofOwner.until(({ length }) => length === 3);

  expect(typesOf(ofOwner)).toEqual(['ticket ticket.created', 'ticket ticket.assigned', 'message message.added']);
  expect(typesOf(ofAgent)).toEqual([
    'ticket ticket.created',
    'ticket ticket.assigned',
    'notification assignment',
    'message message.added',
  ]);
  const { unread: _, hasDraft: __, ...row } = (await agent.call('GET', '/tickets')).body[0];
  expect(ofAgent.events[3]?.data).toEqual({
    type: 'message.added',
    ticketId: ticket.id,
    messageId: expect.any(String),
    actor: { type: 'agent', userId: owner.userId },
    createdAt: expect.stringMatching(/T.*Z$/),
    ticket: row,
  });
  const { items } = (await agent.call('GET', '/notifications')).body;
  expect(ofAgent.events[2]?.data).toEqual({
    type: 'assignment',
    notificationId: items[0].id,
    ticketId: ticket.id,
    count: 1,
    notification: items[0],
  });
  expect(ofOwner.text()).not.toMatch(/secret/);
});

test('the answer tells every proxy that it is a stream', async () => {
  const { headers, text } = await read(await makeOwner(house));
  expect(headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    'x-correlation-id': expect.any(String),
  });
  expect(text()).toMatch(/^retry: [12]\d{3}\n\nid: \S+\n\n$/);
});

test('a stream of one workspace delivers nothing of another', async () => {
  const [owner, other] = [await makeOwner(house), await makeOwner(house)];
  const reader = await read(owner);
  await makeTicket(other, { assigneeId: other.userId });
  const ticket = await makeTicket(owner);
  await reader.until(({ length }) => length > 0);
  expect(reader.events.map(({ data }) => data.ticketId)).toEqual([ticket.id]);
  // Nor from a position of the other workspace's stream.
  const theirs = await read(other);
  await makeTicket(other);
  await theirs.until(({ length }) => length > 0);
  const again = await read(owner, { lastEventId: theirs.lastEventId() });
  // The stream continues after its reset, so what happens before shows nowhere.
  await again.until(({ length }) => length > 0);
  const next = await makeTicket(owner);
  await again.until((events) => events.some(({ data }) => data.ticketId === next.id));
  expect(again.events).toMatchObject([{ event: 'reset' }, { data: { ticketId: next.id } }]);
});

test('a reader resumes after any of its events, by header or by query', async () => {
  const owner = await makeOwner(house);
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const first = await read(agent);
  const start = first.lastEventId();
  for (let made = 0; made < 3; made++) await makeTicket(owner, { assigneeId: agent.userId });
  const all = await first.until(({ length }) => length === 9);
  for (const [at, { id }] of [{ id: start }, ...all].entries()) {
    const options = at % 2 === 0 ? { lastEventId: id } : { query: `?lastEventId=${id}` };
    const again = await read(agent, options);
    await again.until(({ length }) => length === all.length - at);
    expect(again.events).toEqual(all.slice(at));
    again.close();
  }
});

test('a reader catches up with more than a page, and new events follow', async () => {
  const owner = await makeOwner(house);
  const first = await read(owner);
  const start = first.lastEventId();
  const tickets = await Promise.all(Array.from({ length: 30 }, () => makeTicket(owner)));
  const ids = tickets.map(({ id }) => id);
  const change = (changes: object) => owner.call('POST', '/tickets/bulk', { ids, ...changes });
  for (const priority of ['high', 'low', 'urgent']) await change({ priority });
  const [again] = await Promise.all([read(owner, { lastEventId: start }), change({ status: 'closed' })]);
  for (const reader of [first, again]) await reader.until(({ length }) => length === 150);
  // Each event has its ticket as it was when the event was sent.
  expect(again.events.map(({ id }) => id)).toEqual(first.events.map(({ id }) => id));
});

test.each([
  ['no id', 'nonsense'],
  ['of another history', Buffer.from(JSON.stringify(['000000000000', '999', newId(), 1])).toString('base64url')],
  ['not even JSON', 'e30'],
])('an id that is %s leads to a reset, and the stream continues from now', async (_what, lastEventId) => {
  const owner = await makeOwner(house);
  await makeTicket(owner);
  const reader = await read(owner, { lastEventId });
  await reader.until(({ length }) => length > 0);
  const ticket = await makeTicket(owner);
  await reader.until((events) => events.some(({ data }) => data.ticketId === ticket.id));
  expect(reader.events[0]).toEqual({ event: 'reset', data: {}, id: expect.stringMatching(/\S/) });
});

test.each([
  ['that is still to come', { transactionId: 999_999_999 }],
  ['of a fact that is not there', { factId: newId() }],
])('an id %s leads to a reset too: the database folder may be an older copy', async (_what, changed) => {
  const owner = await makeOwner(house);
  const first = await read(owner);
  await makeTicket(owner);
  await first.until(({ length }) => length === 1);
  const [epoch, transactionId, factId, part] = JSON.parse(Buffer.from(first.lastEventId(), 'base64url').toString());
  const position = { transactionId, factId, ...changed };
  const id = JSON.stringify([epoch, String(position.transactionId), position.factId, part]);
  const reader = await read(owner, { lastEventId: Buffer.from(id).toString('base64url') });
  await reader.until(({ length }) => length > 0);
  await makeTicket(owner);
  await reader.until(({ length }) => length > 1);
  expect(reader.events.map(({ event }) => event)).toEqual(['reset', 'ticket']);
});

test('too many streams of one person end the oldest', async () => {
  const owner = await makeOwner(house);
  const other = await read(await makeMember(house, owner.workspaceId, 'viewer'));
  const oldest = await read(owner);
  await Promise.all(Array.from({ length: 99 }, () => read(owner)));
  const newest = await read(owner);
  await oldest.ended;
  await makeTicket(owner);
  await Promise.all([other, newest].map((reader) => reader.until(({ length }) => length === 1)));
  expect(oldest.events).toEqual([]);
});

test('a client that leaves before its stream begins leaves nothing behind', async () => {
  const own = await buildHouse();
  const owner = await makeOwner(own);
  const follow = vi.spyOn(own.app.live, 'follow');
  const { port, hostname } = new URL(own.url);
  await own.app.db.tx(async (tx) => {
    // The gate reads this table, so the request waits.
    await tx.run(sql`lock table members in access exclusive mode`);
    const client = connect(Number(port), hostname);
    const headers = `host: a\r\nauthorization: Bearer ${owner.token}\r\nx-workspace-id: ${owner.workspaceId}`;
    client.write(`GET /v1/workspaces/${owner.workspaceId}/events/stream HTTP/1.1\r\n${headers}\r\n\r\n`);
    const [{ socket }] = await once(own.server.server, 'request');
    client.destroy();
    await once(socket, 'end');
  });
  // This answer comes after the gate's check of the stream.
  await makeTicket(owner);
  await own.close();
  expect(follow).not.toHaveBeenCalled();
});

test('a stream opens once its beginning is known, so that nothing after is missed', async ({ onTestFinished }) => {
  const own = await buildHouse();
  const owner = await makeOwner(own);
  const { db } = own.app;
  const one = db.one.bind(db);
  const asked = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  vi.spyOn(db, 'one').mockImplementation(async (query) => {
    if (toText(query).text.includes('pg_current_snapshot')) {
      asked.resolve();
      await told.promise;
    }
    return one(query);
  });
  const opened = vi.fn();
  const opening = readEvents(own, owner).then((reader) => {
    opened();
    return reader;
  });
  onTestFinished(async () => {
    (await opening).close();
    await own.close();
  });
  await asked.promise;
  // Answers after the stream, if that had begun to answer.
  await call(own, 'GET', '/livez');
  expect(opened).not.toHaveBeenCalled();
  told.resolve();
  const { until } = await opening;
  const { id } = await makeTicket(owner);
  expect((await until(({ length }) => length === 1))[0]?.data.ticketId).toBe(id);
});

test('a reader that closes its end of the connection ends the stream', async () => {
  const owner = await makeOwner(house);
  const client = connect({ port: Number(new URL(house.url).port), host: '127.0.0.1', allowHalfOpen: true });
  const headers = `host: a\r\nauthorization: Bearer ${owner.token}\r\nx-workspace-id: ${owner.workspaceId}`;
  client.write(`GET /v1/workspaces/${owner.workspaceId}/events/stream HTTP/1.1\r\n${headers}\r\n\r\n`);
  await once(client, 'data');
  client.end();
  client.resume();
  await once(client, 'end');
});

test('an API key may read the stream of its workspace', async () => {
  const owner = await makeOwner(house);
  const { secret, id } = (await owner.call('POST', '/api-keys', { name: 'k', role: 'viewer' })).body;
  const reader = await read(owner, { token: secret });
  await makeTicket(owner);
  await reader.until(({ length }) => length === 1);
  await owner.call('DELETE', `/api-keys/${id}`);
  await reader.ended;
  expect(reader.events.at(-1)).toMatchObject({ event: 'end', data: { key: 'auth.token_invalid' } });
});

test('a stream ends when the right to read ends, and names the reason', async () => {
  const owner = await makeOwner(house);
  const [removed, signedOut, undemanded] = (await Promise.all(
    [1, 2, 3].map(() => makeMember(house, owner.workspaceId, 'agent')),
  )) as [Person, Person, Person];
  const ofRemoved = await read(removed);
  await owner.call('DELETE', `/members/${removed.userId}`);
  await ofRemoved.ended;
  expect(ofRemoved.events.at(-1)).toMatchObject({ event: 'end', data: { key: 'workspace.forbidden', params: {} } });

  const ofSession = await read(signedOut);
  await signedOut.call('DELETE', `/v1/me/sessions/${signedOut.sessionId}`);
  await ofSession.ended;
  expect(ofSession.events).toMatchObject([{ event: 'end', data: { key: 'auth.token_invalid' } }]);

  const ofAgent = await read(undemanded);
  const ofOwner = await read(owner);
  await house.app.db.pool.query('update sessions set second_factor_at = now() where id = $1', [owner.sessionId]);
  expect((await owner.call('PATCH', '', { requireSecondFactor: true })).status).toBe(200);
  await ofAgent.ended;
  expect(ofAgent.events.at(-1)).toMatchObject({ event: 'end', data: { key: 'workspace.second_factor_required' } });
  await makeTicket(owner);
  const ofOwnerAfter = await ofOwner.until((events) => events.some(({ event }) => event === 'ticket'));
  expect(ofOwnerAfter.filter(({ event }) => event === 'end')).toEqual([]);
});

test('a change to a role that may still read ends no stream', async () => {
  const owner = await makeOwner(house);
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const reader = await read(agent);
  await owner.call('PATCH', `/members/${agent.userId}`, { role: 'viewer' });
  await makeTicket(owner);
  await reader.until(({ length }) => length === 2);
  expect(typesOf(reader).toSorted()).toEqual(['member undefined', 'ticket ticket.created']);
});

test('a stream ends when its access token expires', async () => {
  const reader = await read(await makeOwner(house));
  house.clock.advance(3_601_000);
  await reader.ended;
  expect(reader.events).toMatchObject([{ event: 'end', data: { key: 'auth.token_expired' } }]);
});

test('a caller who may not read tickets gets no stream', async () => {
  const [owner, other] = [await makeOwner(house), await makeOwner(house)];
  expect((await read({ workspaceId: owner.workspaceId, token: other.token })).status).toBe(403);
  expect((await read({ workspaceId: owner.workspaceId, token: 'none' })).status).toBe(401);
  const path = `/v1/workspaces/${owner.workspaceId}/events/stream`;
  expect((await call(house, 'POST', path, {})).status).toBe(405);
});
