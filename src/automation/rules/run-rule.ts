import type { Cause } from '../../ground/catalog/cause.ts';
import { automation } from '../../ground/catalog/doer.ts';
import type { Tx } from '../../ground/database/db.ts';
import { isDatabaseAway } from '../../ground/database/faults.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { RunningRule } from './batch.ts';
import { isAtLimit, pauseAtLimit } from './limits.ts';
import { type Did, runActions } from './run-actions.ts';
import type { Outcome, RuleRun } from './schema.ts';
import { causeOf } from './triggers.ts';

type Ran = { outcome: Outcome; isPaused: boolean };
type Result = Partial<Did> & { outcome: Outcome; error?: RuleRun['error'] };

export type RunOn = {
  workspaceId: WorkspaceId;
  ticketId: TicketId;
  /** The fact that led to the run, and its own cause; null where a time did. */
  factId: string | null;
  cause: Cause | null;
  messageId: MessageId | null;
};

/**
 * Runs a rule whose conditions hold, and stores what came of it. What fails undoes this rule alone. Throws only what
 * concerns the whole transaction, such as a conflict with another one.
 */
export async function runRule(tx: Tx, rule: RunningRule, on: RunOn): Promise<Ran> {
  const { workspaceId, ticketId } = on;
  const result = await resultOf(tx, rule, on);
  const { outcome, did = [], isMail = false, error = null } = result;
  await tx.run(sql`
    insert into rule_runs (workspace_id, id, rule_id, rule_version, ticket_id, activity_id, outcome, did, is_mail,
      error, created_at)
    values (${workspaceId}, ${tx.newId()}, ${rule.id}, ${rule.version}, ${ticketId}, ${on.factId}, ${outcome},
      ${did}::text[], ${isMail}, ${error === null ? null : JSON.stringify(error)}, ${tx.now})`);
  await tx.run(sql`
    update rules set run_count = run_count + 1, last_run_at = ${tx.now}, last_outcome = ${outcome}
    where workspace_id = ${workspaceId} and id = ${rule.id}`);
  const isPaused = outcome === 'skipped_limit' && (await pauseAtLimit(tx, workspaceId, rule));
  return { outcome, isPaused };
}

async function resultOf(tx: Tx, rule: RunningRule, on: RunOn): Promise<Result> {
  const { workspaceId, ticketId, factId, messageId } = on;
  const cause = causeOf(rule, on.cause);
  if (cause === undefined) return { outcome: 'skipped_loop' };
  if (await isAtLimit(tx, workspaceId, rule, ticketId)) return { outcome: 'skipped_limit' };
  const by = automation(workspaceId, cause);
  try {
    const done = await tx.savepoint(() => runActions(tx, by, rule, { ticketId, factId, messageId }));
    return { outcome: 'done', ...done };
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const { key, params } = error instanceof AppError ? error : new AppError('internal');
    return { outcome: 'failed', error: { key, params } };
  }
}
