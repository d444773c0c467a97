import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { checkCluster } from './check-cluster.ts';
import { distribute } from './distribute.ts';
import { migrate } from './migrate.ts';
import { copiedTables, workspaceTables } from './table-places.ts';

/** Run with `CITUS` set, see docs/scale.md. */
const hasCluster = inject('nodeUrls').length > 1;
const house = useHouse();

async function connected<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: house.databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

test.skipIf(hasCluster)('a database without Citus is refused', async () => {
  await expect(connected(checkCluster)).rejects.toThrow(/has no Citus/);
});

test('a half distributed database is not migrated', async () => {
  const { pool } = house.app.db;
  await pool.query('create table kept_foreign_keys ()');
  await expect(migrate(house.databaseUrl, house.app.log)).rejects.toThrow(/half distributed/);
  await pool.query('drop table kept_foreign_keys');
});

describe.skipIf(!hasCluster)('on a cluster (skipped without CITUS)', () => {
  const places = async () => {
    const { rows } = await house.app.db.pool.query(`
      select logicalrelid::text as name, partmethod = 'n' as "isCopied", colocationid as group
      from pg_dist_partition where partmethod <> 'n' or repmodel = 't'`);
    return rows as { name: string; isCopied: boolean; group: number }[];
  };

  test('every table is in its place, and those of workspaces lie together', async () => {
    const found = await places();
    const named = (isCopied: boolean) => found.filter((table) => table.isCopied === isCopied);
    expect(
      named(true)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(copiedTables.toSorted());
    expect(
      named(false)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(workspaceTables.toSorted());
    expect(new Set(named(false).map(({ group }) => group)).size).toBe(1);
  });

  test('a repeated run beside the service changes nothing, and a cut one goes on', async () => {
    const owner = await makeOwner(house);
    await owner.call('POST', '/tickets', { subject: 's', body: 'b' });
    const constraints = `select conname, pg_get_constraintdef(oid) from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`;
    const { pool } = house.app.db;
    const { rows: before } = await pool.query(constraints);
    await connected(checkCluster);
    expect(await connected((client) => distribute(client, () => {}))).toEqual({ tables: 0, rows: 0 });
    await pool.query(`create table kept_foreign_keys (of_table text, name text, definition text, target text)`);
    await pool.query(`insert into kept_foreign_keys select conrelid::regclass::text, conname, pg_get_constraintdef(oid),
      confrelid::regclass::text from pg_constraint where conname = 'activity_workspace_id_ticket_id_fkey'`);
    await pool.query('alter table activity drop constraint activity_workspace_id_ticket_id_fkey');
    await connected((client) => distribute(client, () => {}));
    expect((await pool.query(constraints)).rows).toEqual(before);
    expect((await owner.call('GET', '/tickets')).body).toHaveLength(1);
  });

  test('no node lets the service change the audit log', async () => {
    const { rows } = await house.app.db.pool.query(`
      select result from run_command_on_shards('audit_log',
        $$select has_table_privilege('%s', 'update, delete, truncate')$$)`);
    expect(new Set(rows.map(({ result }) => result))).toEqual(new Set(['f']));
  });
});
