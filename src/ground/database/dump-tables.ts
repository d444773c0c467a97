import type { Readable } from 'node:stream';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

export type TableName = { schema: string; name: string };
export type DumpedTable = TableName & { columns: string[] };
/** A sequence with the last value that it gave. A sequence that gave none is left out. */
export type DumpedSequence = TableName & { lastValue: string };

/** The rows of a statement in PostgreSQL's text format of COPY. */
export type CopiedRows = { bytes: Readable; count(): number };

/** All tables of a database as of one moment, while others write. */
export type Dump = AsyncDisposable & {
  /** When the moment is, by the database's clock. */
  takenAt: Date;
  /** The migrations that ran, in their order. */
  migrations: string[];
  tables: DumpedTable[];
  /** Reads one table. Only one read may be open at a time. */
  copyTable(table: DumpedTable): CopiedRows;
  copyQuery(statement: string): CopiedRows;
  readSequences(): Promise<DumpedSequence[]>;
  /** The id of this installation of Kontor. Its copies have the same. */
  readInstallation(): Promise<string>;
};

export const dumpedSchemas = ['public', 'graphile_worker'];
/** The job queue notes its own migrations, which its next start runs. */
const leftOut = 'graphile_worker.migrations';

/**
 * Begins a transaction that sees one snapshot of the database until it is disposed. It writes nothing.
 * @param readsByKey for queries of few rows by their keys: a table that was just filled has no statistics, and would be
 * read from end to end for each row
 */
export async function openDump(url: string, { readsByKey = false } = {}): Promise<Dump> {
  const client = await connect(url);
  try {
    await client.query('begin isolation level repeatable read, read only');
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
    // On a cluster, each connection to a node has a snapshot of its own. Elsewhere nobody reads this setting.
    await client.query('set local citus.max_adaptive_executor_pool_size = 1');
    if (readsByKey) await client.query('set local enable_seqscan = off');
    const { rows } = await client.query<{ takenAt: string }>('select now()::text as "takenAt"');
    // Takes the snapshots of all nodes at once, rather than when their first rows are read.
    await client.query('select from tickets limit 1');
    const migrations = await client.query<{ name: string }>('select name from migrations order by name');
    const copy = (statement: string): CopiedRows => {
      const bytes = client.query(copyTo(`copy ${statement} to stdout`));
      return { bytes, count: () => bytes.rowCount };
    };
    return {
      takenAt: new Date(rows[0]?.takenAt ?? ''),
      migrations: migrations.rows.map(({ name }) => name),
      tables: await listTables(client),
      copyTable: (table) => copy(columnsOf(table)),
      copyQuery: (statement) => copy(`(${statement})`),
      readSequences: () => readSequences(client),
      readInstallation: () => readInstallation(client),
      [Symbol.asyncDispose]: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** A client of its own, because a snapshot and a load keep their session. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'kontor backup', keepAlive: true });
  // The running statement, or the next statement, throws the fault.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The table with its columns, as COPY names them. */
export function columnsOf({ columns, ...table }: DumpedTable): string {
  return `${quoted(table)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`;
}

export function quoted({ schema, name }: TableName): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
}

async function readInstallation(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('select id from installation');
  return rows[0]?.id ?? '';
}

async function listTables(client: pg.Client): Promise<DumpedTable[]> {
  const { rows } = await client.query<DumpedTable>(
    `select n.nspname as schema, c.relname as name,
       array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where n.nspname = any($1) and c.relkind = 'r' and n.nspname || '.' || c.relname <> $2
     group by 1, 2
     order by 1, 2`,
    [dumpedSchemas, leftOut],
  );
  return rows;
}

async function readSequences(client: pg.Client): Promise<DumpedSequence[]> {
  const { rows } = await client.query<DumpedSequence>(
    `select schemaname as schema, sequencename as name, last_value::text as "lastValue"
     from pg_sequences
     where schemaname = any($1) and last_value is not null
     order by 1, 2`,
    [dumpedSchemas],
  );
  return rows;
}
