import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { StartError } from '../lib/start-error.ts';
import { sinceBaseline } from './baseline.ts';
import { columnsOf, connect, type DumpedSequence, type DumpedTable, dumpedSchemas, quoted } from './dump-tables.ts';

type LoadedTable = DumpedTable & { rows: number };

type Load<Table extends LoadedTable> = {
  tables: readonly Table[];
  sequences: readonly DumpedSequence[];
  /** The rows of a table in the text format of COPY. */
  read(table: Table): Readable;
  /** Statements that belong to the same commit. */
  finish: readonly string[];
};

/**
 * Fills the empty tables of a migrated database in one transaction: after a crash they are empty still. Foreign keys
 * and indexes are dropped and built again, which is faster, and needs no superuser.
 * Throws a `StartError` if the database is in use already or a table got another number of rows.
 */
export async function loadTables<Table extends LoadedTable>(
  url: string,
  { tables, sequences, read, finish }: Load<Table>,
): Promise<void> {
  const client = await connect(url);
  try {
    await client.query('begin');
    await client.query(`set local statement_timeout = 0; set local maintenance_work_mem = '256MB'`);
    await refuseUsed(client);
    await emptyTables(client, tables);
    const rebuild = await dropSlowParts(client);
    for (const table of tables) await loadTable(client, table, read(table));
    for (const { lastValue, ...sequence } of sequences)
      await client.query('select setval($1, $2)', [quoted(sequence), lastValue]);
    for (const statement of [...rebuild, ...finish]) await client.query(statement);
    await client.query('commit');
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

/**
 * Throws a `StartError` unless the database can take tables that these migrations made: it is in use, or it has further
 * migrations, which would not run on the rows that come. Changes nothing.
 * @param known the migrations of this release
 */
export async function requireEmpty(
  url: string,
  migrations: readonly string[],
  known: readonly string[],
): Promise<void> {
  const client = await connect(url);
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select name from unnest('{migrations,users,workspaces}'::text[]) name where to_regclass(name) is not null`,
    );
    const isThere = (name: string) => tables.some((table) => table.name === name);
    if (isThere('users') && isThere('workspaces')) await refuseAccounts(client);
    await refuseDistributed(client);
    if (!isThere('migrations')) return;
    const { rows } = await client.query<{ name: string }>('select name from migrations order by name');
    const ran = rows.map(({ name }) => name);
    const further = sinceBaseline(ran, known, 'The database').find((name) => !migrations.includes(name));
    if (further === undefined) return;
    throw new StartError(
      `The database has the migration ${further}, which the backup has not: restore into an empty database.`,
    );
  } finally {
    await client.end();
  }
}

/** Citus cannot drop and build again the keys of distributed tables in one transaction. */
async function refuseDistributed(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ hasCitus: boolean }>(
    `select to_regclass('pg_dist_partition') is not null as "hasCitus"`,
  );
  if (!rows[0]?.hasCitus) return;
  const { rows: distributed } = await client.query('select from pg_dist_partition limit 1');
  if (distributed.length > 0)
    throw new StartError(
      'The tables of the database are distributed: restore into a new database, and run "distribute" there.',
    );
}

/** Refuses a database with accounts. The lock lets a service that starts meanwhile wait until the commit. */
async function refuseUsed(client: pg.Client): Promise<void> {
  await client.query('lock table users, workspaces in access exclusive mode');
  await refuseAccounts(client);
}

async function refuseAccounts(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select from users union all select from workspaces limit 1');
  if (rows.length > 0)
    throw new StartError('The database has accounts or workspaces already: restore into an empty one.');
}

/** Migrations fill some tables. A table that may not be emptied, such as the audit log, must be empty. */
async function emptyTables(client: pg.Client, tables: readonly DumpedTable[]): Promise<void> {
  const names = tables.map(quoted);
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) name where has_table_privilege(name, 'truncate')`,
    [names],
  );
  if (rows.length > 0) await client.query(`truncate ${rows.map(({ name }) => name).join(', ')}`);
}

async function loadTable(client: pg.Client, table: LoadedTable, rows: Readable): Promise<void> {
  const into = client.query(copyFrom(`copy ${columnsOf(table)} from stdin`));
  await pipeline(rows, into);
  if (into.rowCount === table.rows) return;
  throw new StartError(`${table.schema}.${table.name} got ${into.rowCount} rows instead of ${table.rows}.`);
}

/** @returns the statements that build indexes and foreign keys again */
async function dropSlowParts(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; build: string }>(
    `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
       format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
         as build, 2 as place
     from pg_constraint c
     where c.contype = 'f' and c.connamespace::regnamespace::text = any($1)
     union all
     select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), 1
     from pg_index i
     join pg_class r on r.oid = i.indexrelid
     where r.relnamespace::regnamespace::text = any($1)
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
     order by place`,
    [dumpedSchemas],
  );
  // Foreign keys depend on unique indexes, so they are dropped first and built last.
  for (const { drop } of rows.toReversed()) await client.query(drop);
  return rows.map(({ build }) => build);
}
