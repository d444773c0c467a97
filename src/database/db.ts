import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Clock } from '../lib/clock.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { caller } from '../platform/correlation.ts';
import type { LastSent } from './last-sent.ts';
import { queryable } from './queryable.ts';
import { openSharedTrips } from './shared-trips.ts';
import type { Sql, SqlText } from './sql.ts';
import type { Outcome } from './statement.ts';
import { runInTx } from './transaction.ts';
import { travel } from './trip.ts';

/** The parameter of reads: a pool or an open transaction. */
export type Queryable = {
  /** All rows, in wire shape: timestamps are RFC 3339 text, bigints numbers. */
  rows<Row>(query: Sql): Promise<Row[]>;
  /** The first row, or undefined. */
  maybe<Row>(query: Sql): Promise<Row | undefined>;
  /** The first row. Throws when the result is empty. */
  one<Row>(query: Sql): Promise<Row>;
};

/** The parameter of writes. Statements that are sent without awaiting one another share a round trip. */
export type Tx = Queryable & {
  /** Runs a statement and returns how many rows it touched. */
  run(query: Sql): Promise<number>;
  /** The time of the transaction: the same for all its statements. */
  readonly now: Date;
  newId(): string;
  /** Tells the live followers of this workspace, after the commit, to look for changes. */
  touch(workspaceId: WorkspaceId): void;
  /** Runs work in a savepoint: when it throws, its changes are undone and the transaction can go on. */
  savepoint<Result>(work: () => Promise<Result>): Promise<Result>;
};

export type Db = Queryable & {
  /**
   * Commits all changes of the work, or none. After a conflict with another transaction (SQLSTATE class 40) it runs the
   * work again, so the work must have no effects outside the `tx`.
   */
  tx<Result>(work: (tx: Tx) => Promise<Result | LastSent<Result>>): Promise<Result>;
  /** The pool itself, only for the job queue and the migrations. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
};

export type DbOptions = {
  url: string;
  clock: Clock;
  poolSize: number;
  queryTimeoutMs?: number;
  /** The query timeout within requests. */
  requestQueryTimeoutMs?: number;
  onIdleError: (error: Error & { code?: string }) => void;
  /** Called after each commit with the workspaces that it touched. */
  onTouched?: (workspaceIds: ReadonlySet<WorkspaceId>) => void;
  /** How to report revocations. Default: not at all. */
  losses?: Losses;
};

/** Reports commits that may have revoked access (losses). */
type Losses = {
  /** Whether a statement may revoke access. */
  isLoss: (text: string) => boolean;
  /** The channel on which the transaction notifies all processes. */
  channel: string;
  /** Called once the transaction has committed, or may have committed. */
  onLoss: () => void;
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
  poolSize,
  queryTimeoutMs = queryTimeoutMsDefault,
  requestQueryTimeoutMs = requestQueryTimeoutMsDefault,
  onIdleError,
  onTouched = () => {},
  losses = { isLoss: () => false, channel: '', onLoss: () => {} },
}: DbOptions): Db {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
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
  });
  pool.on('error', onIdleError);
  // A connection may break between two statements of its holder. The next statement reports the error.
  pool.on('connect', (client) => client.on('error', () => {}));
  const share = openSharedTrips(pool, requestQueryTimeoutMs);
  const timeoutMs = () => (caller.getStore() === undefined ? undefined : requestQueryTimeoutMs);
  return {
    ...queryable((statement, manner) =>
      manner === 'quick' ? share(statement) : runInPool(pool, statement, timeoutMs()),
    ),
    pool,
    tx: (work) => untilNoCollision(() => runInTx({ pool, timeoutMs: timeoutMs(), clock, onTouched, losses }, work)),
    close: () => {
      // The sockets outlive `end` briefly. If the server stops in that time, the error does not matter.
      pool.off('error', onIdleError).on('error', () => {});
      return pool.end();
    },
  };
}

async function runInPool(pool: pg.Pool, statement: SqlText, timeoutMs: number | undefined): Promise<Outcome> {
  const client = await pool.connect();
  return new Promise((resolve, reject) => {
    travel(client, {
      asked: [{ statement, resolve, reject }],
      timeoutMs,
      onArrival: ({ isBroken }) => client.release(isBroken),
    });
  });
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

/**
 * Awaits statements that were sent without awaiting one another. Throws the error of the first failed statement,
 * because those after it only report that the transaction is aborted.
 */
export async function together<const Sent extends readonly unknown[]>(
  sent: Sent,
): Promise<{ -readonly [Index in keyof Sent]: Awaited<Sent[Index]> }> {
  const outcomes = await Promise.allSettled(sent);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  // The cast is safe: every outcome is fulfilled here.
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as {
    -readonly [Index in keyof Sent]: Awaited<Sent[Index]>;
  };
}

/** Turns PostgreSQL's `2026-11-20 19:05:01.12+00` into `2026-11-20T19:05:01.120Z`. The session's time zone is UTC. */
export function toRfc3339(text: string): string {
  if (!text.endsWith('+00') || text.length > 29) return text;
  const fraction = text.length > 22 ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

/**
 * Parses an array without quoted or null elements, as nearly all arrays are. Returns undefined for others.
 * Parsing letter by letter takes ten times as long.
 */
function simpleArray(text: string): string[] | undefined {
  if (text === '{}') return [];
  return /["\\]|NULL/i.test(text) ? undefined : text.slice(1, -1).split(',');
}
