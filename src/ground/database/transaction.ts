import type pg from 'pg';
import type { Clock } from '../lib/clock.ts';
import { newId, type WorkspaceId } from '../lib/ids.ts';
import { traced } from '../lib/traced.ts';
import type { Queryable, Tx, VerbSettings } from './db.ts';
import { queryable } from './queryable.ts';
import { type SqlText, toText } from './sql.ts';
import { rowCountOf, type SqlResult } from './statement.ts';
import { runOn } from './trip.ts';

export type TxOptions = {
  clock: Clock;
  /** Called after each commit with the workspaces that it touched. */
  onTouched: (workspaceIds: ReadonlySet<WorkspaceId>) => void;
  /** Called once a transaction that revokes access has committed, or may have committed. */
  onRevoked: () => void;
};

type Connections = {
  pool: pg.Pool;
  timeoutMs: number | undefined;
  apart: Queryable['one'];
  settings: () => VerbSettings;
};

/** Runs work between `begin` and `commit`. Rolls back if the work throws. */
export async function runInTx<Result>(
  { pool, timeoutMs, apart, settings, clock, onTouched, onRevoked }: TxOptions & Connections,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const send = (statement: SqlText): Promise<SqlResult> =>
    traced({ kind: 'sql', text: statement.text }, () => runOn(client, statement, timeoutMs));
  let isFinished = false;
  let isRevoking = false;
  const touched = new Set<WorkspaceId>();
  const run = (statement: SqlText): Promise<SqlResult> => {
    if (isFinished) throw new Error('the transaction is finished: a statement came too late, an await is missing');
    return send(statement);
  };
  const lasts: (() => Promise<void>)[] = [];
  const tx: Tx = {
    ...queryable(run),
    run: async (query) => rowCountOf((await run(toText(query))).tag),
    apart,
    now: clock.now(),
    newId,
    get settings() {
      return settings();
    },
    last: (work) => void lasts.push(work),
    touch: (workspaceId) => touched.add(workspaceId),
    revokes: () => {
      isRevoking = true;
    },
    savepoint: savepointsOf((text) => run({ text, values: [], name: '' }), lasts),
  };
  // Nobody awaits this statement. If it fails, every statement after it fails too, so the error is not lost.
  run({ text: 'begin', values: [], name: 'begin' }).catch(() => {});
  let broken: Error | undefined;
  try {
    const result = await work(tx);
    for (const last of lasts) await last();
    isFinished = true;
    const { tag } = await send({ text: 'commit', values: [], name: 'commit' });
    // PostgreSQL answers the commit of an aborted transaction with a rollback, and reports no error.
    if (tag !== 'COMMIT') throw new Error('the transaction was aborted: an error of a statement was swallowed');
    if (touched.size > 0) onTouched(touched);
    return result;
  } catch (error) {
    isFinished = true;
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
    if (isRevoking) onRevoked();
  }
}

/** @param lasts the work that is left for the end; what a savepoint that was rolled back has added to it goes */
function savepointsOf(control: (text: string) => Promise<unknown>, lasts: unknown[]): Tx['savepoint'] {
  let count = 0;
  return async (inner) => {
    const name = `s${++count}`;
    const lastsBefore = lasts.length;
    await control(`savepoint ${name}`);
    try {
      const result = await inner();
      await control(`release savepoint ${name}`);
      return result;
    } catch (error) {
      lasts.length = lastsBefore;
      // The savepoint may be gone: Citus drops it before it hears that a node is lost. The first error tells that.
      await control(`rollback to savepoint ${name}`).catch(() => {
        throw error;
      });
      throw error;
    }
  };
}
