import { describe, expect, inject, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { newId } from '../lib/ids.ts';
import { readMoment } from './moment.ts';
import { sql } from './sql.ts';

/** Run with `CITUS` set, see docs/scale.md. */
const hasCluster = inject('nodeUrls').length > 1;
const house = useHouse();

test('a running transaction holds the horizon', async () => {
  const { db } = house.app;
  const own = await db.tx(async (tx) => {
    const { id } = await tx.one<{ id: string }>(sql`select pg_current_xact_id()::text as id`);
    expect(BigInt((await readMoment(db)).horizon)).toBeLessThanOrEqual(BigInt(id));
    return id;
  });
  // Transactions of other tests may hold it as well.
  await expect.poll(async () => BigInt((await readMoment(db)).horizon)).toBeGreaterThan(BigInt(own));
});

describe.skipIf(!hasCluster)('on a cluster (skipped without CITUS)', () => {
  test('a moment flushes the numbers of transactions that wrote nothing on the coordinator', async () => {
    const { db } = house.app;
    await db.tx((tx) => tx.one(sql`select pg_current_xact_id()::text as id`));
    const { end } = await db.one<{ end: string }>(sql`select pg_current_wal_insert_lsn()::text as end`);
    await readMoment(db);
    const { isFlushed } = await db.one<{ isFlushed: boolean }>(sql`
      select pg_current_wal_flush_lsn() >= ${end}::pg_lsn as "isFlushed"`);
    expect(isFlushed).toBe(true);
  });

  const writersMax = 4;
  const transactionsEach = 60;

  test('no event below the horizon is still to come, though its transaction writes to all nodes', async () => {
    const { db } = house.app;
    const { workspaceId, userId } = await makeOwner(house);
    const write = async () => {
      for (let count = 0; count < transactionsEach; count++)
        await db.tx(async (tx) => {
          await tx.run(sql`
            insert into activity (workspace_id, id, type, actor_type, data, created_at)
            values (${workspaceId}, ${newId()}, 'ticket.created', 'system', '{}', ${tx.now})`);
          // Each node has a copy of this table.
          if (count % 2 === 0) await tx.run(sql`update users set name = name where id = ${userId}`);
        });
    };
    let afterAll: bigint | undefined;
    const writing = Promise.all(Array.from({ length: writersMax }, write))
      .then(() => readMoment(db))
      .then(({ next }) => {
        afterAll = BigInt(next);
      });
    const seen = new Set<string>();
    for (let from = '0'; afterAll === undefined || BigInt(from) < afterAll; ) {
      const { horizon } = await readMoment(db);
      const events = await db.rows<{ id: string }>(sql`
        select id from activity
        where workspace_id = ${workspaceId} and transaction_id >= ${from}::xid8 and transaction_id < ${horizon}::xid8`);
      for (const { id } of events) seen.add(id);
      from = horizon;
    }
    await writing;
    const all = await db.rows<{ id: string }>(sql`select id from activity where workspace_id = ${workspaceId}`);
    expect(all.filter(({ id }) => !seen.has(id))).toEqual([]);
    expect(seen.size).toBe(writersMax * transactionsEach);
  });
});
