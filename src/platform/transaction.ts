import type pg from 'pg';
import { newId, type WorkspaceId } from '../lib/ids.ts';
import { type DbOptions, type Tx, together } from './db.ts';
import { LastSent } from './last-sent.ts';
import { queryable } from './queryable.ts';
import { type SqlText, toText } from './sql.ts';
import { type Outcome, rowCountOf } from './statement.ts';
import { byTurns } from './turns.ts';

type Parts = { pool: pg.Pool } & Required<Pick<DbOptions, 'clock' | 'onTouched' | 'losses'>>;

/** Commits what the work did, or nothing where it throws. */
export async function runInTx<Result>(
  parts: Parts,
  work: (tx: Tx) => Promise<Result | LastSent<Result>>,
): Promise<Result> {
  const { pool, clock, onTouched, losses } = parts;
  const client = await pool.connect();
  const turns = byTurns(client);
  let isFinished = false;
  let isLoss = false;
  const touched = new Set<WorkspaceId>();
  const run = (statement: SqlText): Promise<Outcome> => {
    if (isFinished) throw new Error('the transaction is finished: a statement came too late, an await is missing');
    isLoss ||= losses.isLoss(statement.text);
    return turns.send(statement);
  };
  let savepoints = 0;
  const control = (text: string) => run({ text, values: [], name: '' });
  const tx: Tx = {
    ...queryable(run),
    run: async (query) => rowCountOf((await run(toText(query))).tag),
    now: clock.now(),
    newId,
    touch: (workspaceId) => touched.add(workspaceId),
    savepoint: async (inner) => {
      const name = `s${++savepoints}`;
      await control(`savepoint ${name}`);
      try {
        const result = await inner();
        await control(`release savepoint ${name}`);
        return result;
      } catch (error) {
        await control(`rollback to savepoint ${name}`);
        throw error;
      }
    },
  };
  let isUsable = true;
  try {
    const result = await work(tx);
    // Not awaited, as it goes before the commit: should it fail, so does that.
    if (isLoss) control(`notify ${losses.channel}`).catch(() => {});
    isFinished = true;
    const [answer] = await together([result instanceof LastSent ? result.answer : result, turns.commit()]);
    if (touched.size > 0) onTouched(touched);
    return answer;
  } catch (error) {
    isFinished = true;
    isUsable = await turns.rollBack();
    throw error;
  } finally {
    client.release(!isUsable);
    if (isLoss) losses.onLoss();
  }
}
