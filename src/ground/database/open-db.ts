import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { traced } from '../lib/traced.ts';
import { caller } from '../platform/correlation.ts';
import type { Db, VerbSettings } from './db.ts';
import { queryable } from './queryable.ts';
import { openSharedTrips } from './shared-trips.ts';
import type { SqlText } from './sql.ts';
import type { SqlResult } from './statement.ts';
import { runInTx, type TxOptions } from './transaction.ts';
import { runOn } from './trip.ts';

type DbOptions = Pick<TxOptions, 'clock'> &
  Partial<TxOptions> & {
    url: string;
    /** Only commands that run no verbs leave them out. */
    settings?: VerbSettings;
    poolSize: number;
    queryTimeoutMs?: number;
    /** The query timeout within requests. */
    requestQueryTimeoutMs?: number;
    onIdleError: (error: Error & { code?: string }) => void;
  };

// OIDs in pg_type.
const textArray = 1009;
const uuidArray = 2951;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, toRfc3339);
for (const type of [textArray, uuidArray]) {
  // The casts are needed because pg's types know only the scalar types.
  const parse = pg.types.getTypeParser(type as number) as (text: string) => string[];
  pg.types.setTypeParser(type as number, (text) => simpleArray(text) ?? parse(text));
}

/** How long a request waits for a free connection before it is answered 503. */
const connectionTimeoutMs = 5_000;
const apartConnectionsMax = 2;
const statementTimeoutMs = 30_000;
/**
 * PostgreSQL ends slow statements itself. If PostgreSQL hangs, the driver gives up after this time and drops the
 * connection.
 */
const queryTimeoutMsDefault = 35_000;
/** Shorter than for jobs, because a client waits. A commit already sent may still happen, as a whole or not at all. */
const requestQueryTimeoutMsDefault = 12_000;

export function openDb({
  url,
  clock,
  settings,
  poolSize,
  queryTimeoutMs = queryTimeoutMsDefault,
  requestQueryTimeoutMs = requestQueryTimeoutMsDefault,
  onIdleError,
  onTouched = () => {},
  onRevoked = () => {},
}: DbOptions): Db {
  const poolOptions = {
    connectionString: url,
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    application_name: 'kontor',
    pipeline: true,
    keepAlive: true,
    // Parallel workers are off, because the planner over-estimates and starts workers that cost more than they save.
    // work_mem: with PostgreSQL's default of 4 MB, a search of a large workspace keeps only the pages of its matches,
    // and then reads every row of these pages.
    // cpu_index_tuple_cost: reading an index entry costs four times the default, relative to reading a row. With the
    // default, a list by tag first read all matches of a second index.
    options:
      '-c TimeZone=UTC -c max_parallel_workers_per_gather=0 -c jit=off -c work_mem=32MB -c cpu_index_tuple_cost=0.02',
  };
  const openPool = (max: number): pg.Pool => {
    const opened = new pg.Pool({ ...poolOptions, max }).on('error', onIdleError);
    // A connection may break between two statements of its holder. The next statement reports the error.
    return opened.on('connect', (client) => client.on('error', () => {}));
  };
  const pool = openPool(poolSize);
  // Transactions that hold all connections of the pool would wait in it for ever.
  const apartPool = openPool(apartConnectionsMax);
  const share = openSharedTrips(pool, requestQueryTimeoutMs);
  const timeoutMs = () => (caller.getStore() === undefined ? undefined : requestQueryTimeoutMs);
  const settingsOf = (): VerbSettings => {
    if (settings === undefined) throw new Error('this database was opened without settings');
    return settings;
  };
  return {
    ...queryable((statement, manner) =>
      traced({ kind: 'sql', text: statement.text }, () =>
        manner === 'quick' ? share(statement) : runInPool(pool, statement, timeoutMs()),
      ),
    ),
    pool,
    get settings() {
      return settingsOf();
    },
    tx: (work) => {
      const apart = queryable((statement) =>
        traced({ kind: 'sql', text: statement.text }, () => runInPool(apartPool, statement, timeoutMs())),
      ).one;
      const options = { pool, apart, settings: settingsOf, timeoutMs: timeoutMs(), clock, onTouched, onRevoked };
      return untilNoCollision(() => runInTx(options, work));
    },
    close: async () => {
      // The sockets outlive `end` briefly. If the server stops in that time, the error does not matter.
      for (const open of [pool, apartPool]) open.off('error', onIdleError).on('error', () => {});
      await Promise.all([pool.end(), apartPool.end()]);
    },
  };
}

async function runInPool(pool: pg.Pool, statement: SqlText, timeoutMs: number | undefined): Promise<SqlResult> {
  const client = await pool.connect();
  return runOn(client, statement, timeoutMs, (isBroken) => client.release(isBroken));
}

const collisionsMax = 5;
const collisionPauseMs = 20;

async function untilNoCollision<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let collisions = 0; ; collisions++) {
    try {
      return await run();
    } catch (error) {
      const isCollision = error instanceof pg.DatabaseError && error.code?.startsWith('40') === true;
      if (!isCollision || collisions === collisionsMax) throw error;
      // The pause lets the winning transaction finish. An immediate retry could collide with it again.
      await sleep(Math.random() * collisionPauseMs * (collisions + 1));
    }
  }
}

/** Turns PostgreSQL's `2026-11-20 19:05:01.12+00` into `2026-11-20T19:05:01.120Z`. The session's time zone is UTC. */
export function toRfc3339(text: string): string {
  if (!text.endsWith('+00') || text.length > 29) return text;
  const fraction = text.length > 22 ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

/**
 * Parses an array without quoted or null elements, as nearly all arrays are. Returns undefined for other arrays.
 * Parsing letter by letter takes ten times as long.
 */
function simpleArray(text: string): string[] | undefined {
  if (text === '{}') return [];
  return /["\\]|NULL/i.test(text) ? undefined : text.slice(1, -1).split(',');
}
