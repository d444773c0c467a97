import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { machineScope, type Sight } from '../../ground/catalog/scope.ts';
import { newId } from '../../ground/lib/ids.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import { Feed } from './feed.ts';
import { Subscriber } from './subscriber.ts';

const house = useHouse();

/** A response whose reader receives nothing until the test lets it, and the text written to it so far. */
async function openSlowReader() {
  let text = '';
  let takesOn: (() => void) | undefined;
  let isOpen = false;
  const socket = new Duplex({
    read: () => {},
    writableHighWaterMark: 1_024,
    write: (chunk, _encoding, done) => {
      text += chunk;
      if (isOpen) done();
      else takesOn = done;
    },
  });
  const server = createServer();
  const requested = once(server, 'request');
  server.emit('connection', socket);
  socket.push('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  const [, response] = (await requested) as [unknown, ServerResponse];
  return {
    response,
    /** Numbers of the tickets in its events. */
    numbers: () => [...text.matchAll(/"ticketNumber":(\d+)/g)].map(([, number]) => Number(number)),
    text: () => text,
    open: () => {
      isOpen = true;
      takesOn?.();
    },
  };
}

async function join(feed: Feed, { workspaceId, userId, sessionId }: Person) {
  const reader = await openSlowReader();
  const holder = {
    ...machineScope(workspaceId),
    userId,
    sessionId,
    keyId: null,
    expiresAtMs: Number.POSITIVE_INFINITY,
  };
  const subscriber = new Subscriber(reader.response, holder, undefined);
  feed.join(subscriber);
  return { ...reader, subscriber };
}

test('nothing piles up for a reader that receives nothing, and it gets everything once it reads', async () => {
  const owner = await makeOwner(house);
  const { db, log } = house.app;
  const feed = new Feed({
    db,
    log,
    scope: machineScope(owner.workspaceId),
    confirmed: async () => {},
    inTurn: inTurns(1),
  });
  const [slow, quick] = [await join(feed, owner), await join(feed, owner)];
  quick.open();
  await vi.waitFor(
    () => expect([slow.subscriber.position, quick.subscriber.position]).not.toContain(undefined),
    30_000,
  );
  const makeTicket = () => owner.call('POST', '/tickets', { subject: 's', body: 'b' });
  for (const count of [5, 10, 15, 20]) {
    await Promise.all(Array.from({ length: 5 }, makeTicket));
    await vi.waitFor(() => {
      // Wakes regularly, as the service does: another database's transaction may hold facts back until it ends.
      feed.wake();
      expect(quick.numbers()).toHaveLength(count);
    }, 30_000);
  }
  // The feed wrote only part of some 16,000 bytes before it noticed the slow reader.
  expect(slow.response.writableLength).toBeLessThan(6_000);
  slow.open();
  await vi.waitFor(() => expect(slow.numbers()).toHaveLength(20), 30_000);
  expect(slow.numbers()).toEqual(quick.numbers());
});

test('a feed retries by itself when an older transaction holds a fact back', async () => {
  const owner = await makeOwner(house);
  const { db, log } = house.app;
  let looks = 0;
  const confirmed = async () => void looks++;
  const feed = new Feed({ db, log, scope: machineScope(owner.workspaceId), confirmed, inTurn: inTurns(1) });
  const reader = await join(feed, owner);
  reader.open();
  await vi.waitFor(() => expect(reader.subscriber.position).toBeDefined(), 30_000);
  const older = await db.pool.connect();
  try {
    await older.query('begin');
    await older.query('select pg_current_xact_id()');
    await owner.call('POST', '/tickets', { subject: 's', body: 'b' });
    const before = looks;
    feed.wake();
    // The requested read, and some retries.
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before + 2), 30_000);
    expect(reader.numbers()).toEqual([]);
    await older.query('commit');
  } finally {
    older.release();
  }
  await vi.waitFor(() => {
    // Another database's transaction may hold the fact back for longer.
    feed.wake();
    expect(reader.numbers()).toEqual([1]);
  }, 30_000);
});

test('a reader who does not see every ticket hears of drafts that belong to none', async () => {
  const owner = await makeOwner(house);
  const { db, log } = house.app;
  const scope = { ...machineScope(owner.workspaceId), sight: `restricted ${newId()}` as Sight };
  const feed = new Feed({ db, log, scope, confirmed: async () => {}, inTurn: inTurns(1) });
  const reader = await join(feed, owner);
  reader.open();
  const signal = { workspaceId: owner.workspaceId, userId: owner.userId, event: 'draft' };
  await feed.pass({ ...signal, data: { draftId: 'of a ticket that is gone', ticketId: owner.userId } });
  await feed.pass({ ...signal, data: { draftId: 'of a new ticket', ticketId: null } });
  await vi.waitFor(() => expect(reader.text()).toContain('of a new ticket'), 15_000);
  expect(reader.text()).not.toContain('gone');
});
