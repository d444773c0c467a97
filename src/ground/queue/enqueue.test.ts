import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { sql } from '../database/sql.ts';
import { newId } from '../lib/ids.ts';
import { enqueue } from './enqueue.ts';

describe.skipIf(inject('nodeUrls').length === 1)('on a cluster (skipped without CITUS), a job', () => {
  const house = useHouse();

  /** Whether the job and a row of its workspace commit in two phases. Citus notes the nodes of such transactions. */
  async function isInTwoPhases(isSwept: boolean): Promise<boolean> {
    const { workspaceId } = await makeOwner(house);
    const key = newId();
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`update ticket_counters set last_number = 1 where workspace_id = ${workspaceId}`);
      await enqueue(tx, 'contact.move', { workspaceId, contactId: newId() }, { key, isSwept });
    });
    const client = new pg.Client({ connectionString: house.databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      `select from pg_dist_transaction t
       join graphile_worker._private_jobs j on j.xmin::text = t.xmin::text where j.key = $1`,
      [key],
    );
    await client.end();
    return rows.length > 0;
  }

  test('commits in two phases with the rows of its workspace', async () => {
    expect(await isInTwoPhases(false)).toBe(true);
  });

  test('that a sweep would add again commits on one node after the other', async () => {
    expect(await isInTwoPhases(true)).toBe(false);
  });
});
