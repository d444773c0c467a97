/**
 * Checks that a person's notifications are as fast with 100,000 of them as with 100, both with 50 unread spread among
 * them. The median of each operation may be at most 1.5 times as long. `node bench/prove/notifications.ts` starts
 * everything that it needs, and exits with 1 over the limit.
 */

import { sql } from '../../src/ground/database/sql.ts';
import { newId } from '../../src/ground/lib/ids.ts';
import type { House } from '../../test/harness/harness.ts';
import { type Answer, makeMember, makeOwner, type Person } from '../../test/worlds/factories.ts';
import { proveAt } from './place.ts';

const counts = [100, 100_000] as const;
const unreadEach = 50;
const triesEach = 400;
const warmUps = 50;
const ratioMax = 1.5;
const rowsAtOnce = 10_000;

type Reader = Person & { count: number; unread: string[] };

/** Makes a member with `count` notifications, of which `unreadEach` are unread, evenly spread. */
async function makeReader(house: House, owner: Person, count: number): Promise<Reader> {
  const person = await makeMember(house, owner.workspaceId, 'agent');
  const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'The printer hums', body: 'Quietly.' });
  const unread: string[] = [];
  for (let done = 0; done < count; done += rowsAtOnce) {
    const ids = Array.from({ length: Math.min(rowsAtOnce, count - done) }, newId);
    const isUnread = ids.map((_id, index) => (done + index) % (count / unreadEach) === 0);
    unread.push(...ids.filter((_id, index) => isUnread[index]));
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`
        insert into activity (workspace_id, id, ticket_id, type, actor_type, data, created_at)
        select ${owner.workspaceId}, id, ${ticket.id}, 'message.added', 'customer', '{}', ${tx.now}
        from unnest(${ids}::uuid[]) id`);
      await tx.run(sql`
        insert into notifications (
          workspace_id, id, user_id, type, reference_id, activity_id, title, read_at, read_transaction_id,
          created_at)
        select ${owner.workspaceId}, id, ${person.userId}, 'reply', ${ticket.id}, id,
          'New reply in #1 The printer hums',
          case when not is_unread then ${tx.now}::timestamptz end,
          case when not is_unread then pg_current_xact_id() end,
          ${tx.now}
        from unnest(${ids}::uuid[], ${isUnread}::boolean[]) t (id, is_unread)`);
    });
  }
  return { ...person, count, unread };
}

type Operation = (reader: Reader, nth: number) => Promise<Answer>;

const operations: Record<string, Operation> = {
  list: (reader) => reader.call('GET', '/notifications'),
  'list unread': (reader) => reader.call('GET', '/notifications?unread=true'),
  'list two pages of the unread': async (reader) => {
    const { body } = await reader.call('GET', '/notifications?unread=true');
    return reader.call('GET', `/notifications?unread=true&cursor=${body.nextCursor}`);
  },
  count: (reader) => reader.call('GET', '/notifications/unread-count'),
  read: (reader, nth) => reader.call('PATCH', `/notifications/${reader.unread[nth % unreadEach]}/read`),
};

async function timeOf(operation: Operation, reader: Reader, nth: number): Promise<number> {
  const startedAt = performance.now();
  const { status, body } = await operation(reader, nth);
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return performance.now() - startedAt;
}

/** Makes read notifications unread again, so that their number stays the same. */
async function forget({ app }: House, { workspaceId, userId, unread }: Reader): Promise<void> {
  await app.db.tx((tx) =>
    tx.run(sql`
      update notifications set read_at = null, read_transaction_id = null
      where workspace_id = ${workspaceId} and user_id = ${userId} and id = any(${unread}::uuid[])
        and read_at is not null`),
  );
}

async function compare(house: House, name: string, operation: Operation, readers: readonly Reader[]): Promise<void> {
  const times = new Map(readers.map((reader) => [reader, [] as number[]]));
  for (let nth = 0; nth < triesEach + warmUps; nth++) {
    for (const reader of Math.random() < 0.5 ? readers : readers.toReversed()) {
      const took = await timeOf(operation, reader, nth);
      if (nth >= warmUps) times.get(reader)?.push(took);
      if (name === 'read') await forget(house, reader);
    }
  }
  const [few = Number.NaN, many = Number.NaN] = [...times.values()].map(median);
  const ratio = many / few;
  console.log(
    `${name}: ${few.toFixed(2)} ms with ${counts[0]}, ${many.toFixed(2)} ms with ${counts[1]}, ` +
      `ratio ${ratio.toFixed(2)}`,
  );
  if (!(ratio < ratioMax)) process.exitCode = 1;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function prove(house: House): Promise<void> {
  const owner = await makeOwner(house);
  const readers: Reader[] = [];
  for (const count of counts) readers.push(await makeReader(house, owner, count));
  await house.app.db.pool.query('vacuum analyze');
  for (const { count, call } of readers) {
    const { body } = await call('GET', '/notifications/unread-count');
    if (body.count !== unreadEach) throw new Error(`${body.count} of ${count} are unread, not ${unreadEach}`);
  }
  for (const [name, operation] of Object.entries(operations)) await compare(house, name, operation, readers);
}

await proveAt(1, ({ house }) => prove(house));
