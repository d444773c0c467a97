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

/** What reads take: a pool or an open transaction. */
export type Queryable = {
  /** All rows, in wire shape: timestamps are RFC 3339 text, bigints numbers. */
  rows<Row>(query: Sql): Promise<Row[]>;
  /** The first row, or undefined. */
  maybe<Row>(query: Sql): Promise<Row | undefined>;
  /** The first row; throws when there is none. */
  one<Row>(query: Sql): Promise<Row>;
};

/** What writes take. Statements that are sent without waiting for one another share a round trip. */
export type Tx = Queryable & {
  /** Runs a statement and returns how many rows it touched. */
  run(query: Sql): Promise<number>;
  /** The transaction's one instant. */
  readonly now: Date;
  newId(): string;
  /** Has whoever follows this workspace live look for what is new, once it is committed. */
  touch(workspaceId: WorkspaceId): void;
  /** Runs work that may be undone alone: when it throws, its changes are gone and the transaction goes on. */
  savepoint<Result>(work: () => Promise<Result>): Promise<Result>;
};

export type Db = Queryable & {
  /**
   * Commits what the work did, or nothing. Two transactions that stood in each other's way (SQLSTATE class 40) are none of
   * the caller's business: the work is done again, so it must do nothing but through the `tx`.
   */
  tx<Result>(work: (tx: Tx) => Promise<Result | LastSent<Result>>): Promise<Result>;
  /** The pool itself, for the job queue and the migrations alone. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
};

export type DbOptions = {
  url: string;
  clock: Clock;
  poolSize: number;
  queryTimeoutMs?: number;
  /** The same for queries of a request. */
  requestQueryTimeoutMs?: number;
  onIdleError: (error: Error & { code?: string }) => void;
  /** Told after each commit which workspaces it touched. */
  onTouched?: (workspaceIds: ReadonlySet<WorkspaceId>) => void;
  /** Left out: nobody wants to know. */
  losses?: Losses;
};

/** What is told of commits that may have taken a right from somebody. */
type Losses = {
  /** Whether a statement is one that does. */
  isLoss: (text: string) => boolean;
  /** On which channel the transaction notifies all processes of it. */
  channel: string;
  /** Told once it is committed, or may be. */
  onLoss: () => void;
};

// The OIDs of pg_type.
const textArray = 1009;
const uuidArray = 2951;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, toRfc3339);
for (const type of [textArray, uuidArray]) {
  // The types know the scalars alone.
  const parse = pg.types.getTypeParser(type as number) as (text: string) => string[];
  pg.types.setTypeParser(type as number, (text) => simpleArray(text) ?? parse(text));
}

/** How long a request waits for a free connection before it is answered 503. */
const connectionTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
/** PostgreSQL ends a statement that takes too long, unless it hangs itself: then the driver gives up, and the connection with it. */
const queryTimeoutMsDefault = 35_000;
/** Requests wait less than jobs, because a client waits. A commit that was sent may still happen, as a whole or not at all. */
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
    // Parallel workers are launched on the planner's over-estimates and cost more than they bring. With PostgreSQL's
    // 4 MB a search of a large workspace keeps its matches by pages, and every row of those is read. An entry of an index costs
    // four times what it supposes against reading a row: a list by a tag first read all that matched another index too.
    options:
      '-c TimeZone=UTC -c max_parallel_workers_per_gather=0 -c jit=off -c work_mem=32MB -c cpu_index_tuple_cost=0.02',
  });
  pool.on('error', onIdleError);
  // A connection may break while someone holds it, between two statements; whoever sends the next one is told.
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
      // The sockets outlive `end` by a moment, in which the server may stop: no loss to tell of.
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
      // Not at once: the one that won may not have woken up yet, and would be run into again.
      await sleep(Math.random() * collisionPauseMs * (collisions + 1));
    }
  }
}

/**
 * Awaits statements that were sent without waiting for one another. Of several that failed the first is thrown: those sent
 * behind it only report that the transaction is aborted.
 */
export async function together<const Sent extends readonly unknown[]>(
  sent: Sent,
): Promise<{ -readonly [Index in keyof Sent]: Awaited<Sent[Index]> }> {
  const outcomes = await Promise.allSettled(sent);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  // Every outcome is fulfilled here, in the order in which it was sent.
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as {
    -readonly [Index in keyof Sent]: Awaited<Sent[Index]>;
  };
}

/** PostgreSQL's `2026-11-20 19:05:01.12+00` as `2026-11-20T19:05:01.120Z`. The session's time zone is UTC. */
export function toRfc3339(text: string): string {
  if (!text.endsWith('+00') || text.length > 29) return text;
  const fraction = text.length > 22 ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

/** An array's text whose elements are neither quoted nor null, as nearly all are; undefined for others. Reading it letter by letter takes ten times as long. */
function simpleArray(text: string): string[] | undefined {
  if (text === '{}') return [];
  return /["\\]|NULL/i.test(text) ? undefined : text.slice(1, -1).split(',');
}
