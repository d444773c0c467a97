import { expect, test } from 'vitest';
import { hasRead } from '../../web/src/api/position.ts';
import { readEvents } from '../harness/event-reader.ts';
import { useHouse } from '../harness/harness.ts';
import { makeOwner, type Person } from '../worlds/factories.ts';

const house = useHouse();

const createTicket = async (owner: Person): Promise<string> =>
  (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body.id;

/** Both ways to read counts. */
async function readCounts(owner: Person) {
  const { body: alone } = await owner.call('GET', '/counts');
  const { body: start } = await owner.call('GET', '/start');
  return [alone, start.counts];
}

test('counts tell which events they have counted, also of events that a transaction holds back', async () => {
  const owner = await makeOwner(house);
  const early = await createTicket(owner);
  const older = await house.app.db.pool.connect();
  let counts: any[];
  let held: string;
  try {
    await older.query('begin');
    await older.query('select pg_current_xact_id()');
    held = await createTicket(owner);
    counts = await readCounts(owner);
    await older.query('commit');
  } finally {
    older.release();
  }
  const late = await createTicket(owner);
  expect(counts.map(({ lists }) => lists.open.count)).toEqual([2, 2]);

  const { position } = (await owner.call('GET', '/start')).body;
  const stream = await readEvents(house, owner, { lastEventId: position });
  const created = (await stream.until((all) => all.some(({ data }) => data?.ticketId === late))).filter(
    ({ data }) => data?.type === 'ticket.created',
  );
  stream.close();
  expect(created.map(({ data }) => data.ticketId)).toEqual([early, held, late]);
  for (const of of counts) expect(created.map(({ id }) => hasRead(of.position, id))).toEqual([true, true, false]);
});

test('a stream from the position of counts has the events that they have not counted', async () => {
  const owner = await makeOwner(house);
  await createTicket(owner);
  const counts = await readCounts(owner);
  const late = await createTicket(owner);
  for (const { position } of counts) {
    const stream = await readEvents(house, owner, { lastEventId: position });
    const events = await stream.until((all) => all.some(({ data }) => data?.ticketId === late));
    expect(events.filter(({ event }) => event === 'reset')).toEqual([]);
    stream.close();
  }
});

test('texts that cannot be compared count as read', () => {
  for (const [position, id] of [
    [undefined, ''],
    ['', 'nonsense'],
    ['WyJlIiwiOSJd', 'WyJmIiwiOSJd'],
  ] as const)
    expect(hasRead(position, id)).toBe(true);
});
