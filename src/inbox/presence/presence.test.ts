import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type EventReader, readEvents } from '../../../test/harness/event-reader.ts';
import { buildReplica, useHouse } from '../../../test/harness/harness.ts';
import { call, inventedId, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import type { Live } from '../../ground/database/live.ts';
import type { Signal } from '../../ground/database/signals.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId, type TicketId, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { PresenceBoard } from './presence.ts';

describe('over two processes', () => {
  const house = useHouse();
  let replica: Awaited<ReturnType<typeof buildReplica>>;
  let owner: Person;
  let agent: Person;
  let stream: EventReader;

  beforeAll(async () => {
    replica = await buildReplica(house);
    owner = await makeOwner(house);
    agent = await makeMember(house, owner.workspaceId, 'agent');
    stream = await readEvents(house, owner);
    await stream.until(() => stream.lastEventId() !== '');
  });
  afterAll(async () => {
    stream?.close();
    await replica?.close();
  });

  const atReplica = (person: Person, method: string, path: string, body?: object) =>
    call(replica, method, `/v1/workspaces/${person.workspaceId}${path}`, body, {
      authorization: `Bearer ${person.token}`,
      'x-workspace-id': person.workspaceId,
    });
  const told = () => stream.events.filter(({ event }) => event === 'presence').map(({ data }) => data);

  test('arrivals, changes and departures are signalled, and nothing is stored', async () => {
    const { id: ticketId } = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
    const path = `/tickets/${ticketId}/presence`;
    const put = await atReplica(agent, 'PUT', path, { state: 'viewing' });
    expect([put.status, put.body]).toEqual([200, { people: [{ userId: agent.userId, state: 'viewing' }] }]);
    await stream.until(() => told().length === 1);
    expect(told()[0]).toEqual({ ticketId, people: [{ userId: agent.userId, state: 'viewing' }] });
    const both = [
      { userId: agent.userId, state: 'viewing' },
      { userId: owner.userId, state: 'noting' },
    ];
    expect((await owner.call('PUT', path, { state: 'noting' })).body).toEqual({ people: both });
    await stream.until(() => told().length === 2);
    expect(told()[1]).toEqual({ ticketId, people: both });
    expect((await owner.call('GET', '/presence')).body).toEqual({ tickets: [{ ticketId, people: both }] });
    await expect
      .poll(async () => (await atReplica(agent, 'GET', '/presence')).body)
      .toEqual({ tickets: [{ ticketId, people: both }] });
    for (const [person, state] of [
      [agent, 'left'],
      [owner, null],
    ] as const)
      expect((await person.call('PUT', path, { state })).status).toBe(200);
    await stream.until(() => told().some(({ people }) => people.length === 0));
    expect((await owner.call('GET', '/presence')).body).toEqual({ tickets: [] });
    const facts = await house.app.db.rows(sql`select type from activity where workspace_id = ${owner.workspaceId}`);
    expect(facts).toEqual([{ type: 'ticket.created' }]);
    expect(stream.events.filter(({ event }) => event.includes('beat'))).toEqual([]);
  });

  test('presence at a missing ticket or another workspace’s ticket is 404', async () => {
    const stranger = await makeOwner(house);
    const { id } = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
    for (const [person, ticketId] of [
      [stranger, id],
      [owner, newId()],
    ] as const)
      expect((await person.call('PUT', `/tickets/${ticketId}/presence`, { state: 'viewing' })).status).toBe(404);
  });
});

describe('in one process', () => {
  const said: { atMs: number; people: string[] }[] = [];
  let board: PresenceBoard;
  const [workspaceId, ticketId] = [newId<WorkspaceId>(), newId<TicketId>()];

  /** Delivers signals at once, in place of `database/live.ts`. */
  function liveOfOne(): Live {
    const listeners = new Set<(signal: Signal) => void>();
    const tell = (signal: Signal) => {
      for (const listener of listeners) listener(signal);
    };
    listeners.add(({ event, data }) => {
      if (event !== 'presence') return;
      const { people } = data as { people: { userId: UserId; state: string }[] };
      said.push({ atMs: performance.now(), people: people.map(({ userId, state }) => `${userId} ${state}`) });
    });
    return {
      signal: tell,
      signalHere: tell,
      followSignals: (listener: (signal: Signal) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    } as unknown as Live;
  }

  beforeEach(() => {
    vi.useFakeTimers();
    said.length = 0;
    board = new PresenceBoard(liveOfOne());
    board.open();
  });
  afterEach(() => {
    board.close();
    vi.useRealTimers();
  });

  const beat = (userId: string, state: 'viewing' | 'answering' | null) =>
    board.beat(workspaceId, { ticketId, userId: inventedId(userId), state });

  test('a person without a beat for 20 seconds has left, and one with beats has not', () => {
    beat('ann', 'viewing');
    beat('bob', 'viewing');
    vi.advanceTimersByTime(15_000);
    beat('bob', 'viewing');
    vi.advanceTimersByTime(5_100);
    expect(said.at(-1)?.people).toEqual(['bob viewing']);
    vi.advanceTimersByTime(15_000);
    expect(said.at(-1)?.people).toEqual([]);
    expect(board.ticketsOf(workspaceId)).toEqual([]);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1_100);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('streams are told at most once a second, of the last state', () => {
    for (let turn = 0; turn < 50; turn++) {
      beat('ann', turn % 2 === 0 ? 'viewing' : 'answering');
      vi.advanceTimersByTime(100);
    }
    vi.advanceTimersByTime(1_100);
    expect(said.length).toBeLessThanOrEqual(7);
    for (const [index, { atMs }] of said.slice(1).entries())
      expect(atMs - (said[index]?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(said.at(-1)?.people).toEqual(['ann answering']);
  });

  test('a repeated state is not signalled', () => {
    for (let turn = 0; turn < 5; turn++) {
      beat('ann', 'viewing');
      vi.advanceTimersByTime(5_000);
    }
    expect(said).toHaveLength(1);
  });
});
