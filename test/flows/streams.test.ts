import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { record } from '../../src/events/activity/record.ts';
import type { Tx } from '../../src/ground/database/db.ts';
import { sql } from '../../src/ground/database/sql.ts';
import { type MessageId, newId, type TicketId } from '../../src/ground/lib/ids.ts';
import { type EventReader, readEvents } from '../harness/event-reader.ts';
import { buildReplica, useHouse } from '../harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../worlds/factories.ts';

const house = useHouse();
let replica: Awaited<ReturnType<typeof buildReplica>>;
beforeAll(async () => {
  replica = await buildReplica(house);
});
afterAll(() => replica.close());

async function begin(at: { url: string }, person: Person): Promise<EventReader> {
  const reader = await readEvents(at, person);
  await reader.until(() => reader.lastEventId() !== '');
  return reader;
}

const makeTicket = async (person: Person): Promise<{ id: TicketId }> =>
  (await person.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
const numbersOf = (events: EventReader['events']): number[] => events.map(({ data }) => data.ticket.ticketNumber);

/** Waits for the connections by which processes hear of changes, and cuts them. */
async function cutListeners(): Promise<void> {
  const cut = () =>
    house.app.db.rows(sql`
      select pg_terminate_backend(pid, 5000)
      from pg_stat_activity
      where datname = current_database() and application_name = 'kontor_live'`);
  while ((await cut()).length === 0);
}

test('another process streams a change of this one', async () => {
  const owner = await makeOwner(house);
  const reader = await begin(replica, owner);
  const { id } = await makeTicket(owner);
  await reader.until(({ length }) => length === 1);
  expect(reader.events).toMatchObject([{ event: 'ticket', data: { type: 'ticket.created', ticketId: id } }]);
  reader.close();
});

test('also when its database connection is cut', async () => {
  const owner = await makeOwner(house);
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const [reader, ofAgent] = [await begin(replica, owner), await begin(replica, agent)];
  await cutListeners();
  await makeTicket(owner);
  await reader.until(({ length }) => length === 1);
  await cutListeners();
  await owner.call('DELETE', `/members/${agent.userId}`);
  await ofAgent.ended;
  expect(ofAgent.events.at(-1)).toMatchObject({ event: 'end', data: { key: 'workspace.forbidden' } });
  reader.close();
});

test('readers of an ended process continue at another and lose nothing', async () => {
  const owner = await makeOwner(house);
  const dying = await buildReplica(house);
  const reader = await begin(dying, owner);
  const made = (async () => {
    for (let count = 0; count < 24; count++) await makeTicket(owner);
  })();
  await reader.until(({ length }) => length >= 8);
  await dying.close();
  await reader.ended;
  expect(reader.events.every(({ event }) => event === 'ticket')).toBe(true);
  const again = await readEvents(replica, owner, { lastEventId: reader.lastEventId() });
  await made;
  await again.until(({ length }) => length + reader.events.length >= 24);
  expect(numbersOf([...reader.events, ...again.events])).toEqual(Array.from({ length: 24 }, (_, at) => at + 1));
  again.close();
});

test('a proxy passes events on as they come', async () => {
  const owner = await makeOwner(house);
  const proxy = await openProxy(house.url);
  const reader = await begin(proxy, owner);
  await makeTicket(owner);
  await reader.until(({ length }) => length === 1);
  reader.close();
  proxy.server.close();
});

async function openProxy(target: string): Promise<{ url: string; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', headers, url: path = '' } = incoming;
    const passed = request(`${target}${path}`, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // The server listens on TCP, so its address is an object.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, server };
}

/** A transaction that has written its events, and commits or rolls back on command. */
type Slow = { names: string[]; finish: (isKept: boolean) => void; done: Promise<void> };

function beginSlow({ workspaceId }: Person, ticketId: TicketId, facts: number): Slow {
  const names = Array.from({ length: facts }, () => newId<MessageId>());
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const write = async (tx: Tx): Promise<void> => {
    for (const messageId of names) {
      const data = { messageId, direction: 'internal' as const };
      await record(tx, { workspaceId, userId: null }, { ticketId, type: 'message.added', data });
    }
    if (!(await promise)) throw new Error('not kept');
  };
  return { names, finish: resolve, done: house.app.db.tx(write).catch(() => {}) };
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('begin' as const), facts: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('finish' as const),
      nth: fc.nat(),
      isKept: fc.integer({ min: 0, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('reconnect' as const), lost: fc.nat(3) }) },
);

const messagesOf = (events: EventReader['events']): string[] =>
  events.flatMap(({ data }) => (data.type === 'message.added' ? [data.messageId] : []));

test('in any order of commits and reconnects, a reader gets every event once and in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const owner = await makeOwner(house);
      const { id: ticketId } = await makeTicket(owner);
      const [steady, other] = [await begin(house, owner), await begin(replica, owner)];
      let reader = await begin(house, owner);
      const startId = reader.lastEventId();
      const told: EventReader['events'] = [];
      const expected: string[] = [];
      const open: Slow[] = [];
      const finish = async (slow: Slow, isKept: boolean) => {
        if (isKept) expected.push(...slow.names);
        slow.finish(isKept);
        await slow.done;
      };
      for (const [at, move] of steps.entries()) {
        if (move.does === 'begin' && open.length < 5) open.push(beginSlow(owner, ticketId, move.facts));
        else if (move.does === 'finish') {
          const [slow] = open.splice(move.nth % Math.max(open.length, 1), 1);
          if (slow !== undefined) await finish(slow, move.isKept > 0);
        } else if (move.does === 'reconnect') {
          reader.close();
          // Events that the network lost at the end come again.
          told.push(...reader.events.slice(0, Math.max(reader.events.length - move.lost, 0)));
          const lastEventId = told.at(-1)?.id ?? startId;
          reader = await readEvents(at % 2 === 0 ? replica : house, owner, { lastEventId });
        }
      }
      for (const slow of open) await finish(slow, true);
      const isAll = (events: EventReader['events']) => messagesOf(events).length >= expected.length;
      await Promise.all([
        steady.until(isAll),
        other.until(isAll),
        reader.until((events) => isAll([...told, ...events])),
      ]);
      const inOrder = messagesOf(steady.events);
      expect(inOrder.toSorted()).toEqual(expected.toSorted());
      expect(messagesOf(other.events)).toEqual(inOrder);
      expect(messagesOf([...told, ...reader.events])).toEqual(inOrder);
      for (const one of [steady, other, reader]) one.close();
    }),
    { numRuns: 12 },
  );
});
