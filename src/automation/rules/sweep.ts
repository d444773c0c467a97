import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';

/** How long runs of rules, and timers that are over, are kept. */
const keptDays = 90;

export const sweepRuns: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from rule_runs
    where (workspace_id, id) in (
      select r.workspace_id, r.id
      from rule_runs r
      where r.created_at < ${tx.now}::timestamptz - make_interval(days => ${keptDays})
      limit ${rowsMax})`);

/** Facts do not make such a timer anew, because it would have been due long ago. */
export const sweepTimers: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from rule_timers
    where (workspace_id, rule_id, ticket_id) in (
      select k.workspace_id, k.rule_id, k.ticket_id
      from rule_timers k
      where k.done_at < ${tx.now}::timestamptz - make_interval(days => ${keptDays})
      limit ${rowsMax})`);
