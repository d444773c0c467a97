import { factsFromNow } from '../../events/activity/fact-reader.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

/**
 * Passes over what waits for rules, automatic replies and surveys, in all workspaces: a copy must not do again what the
 * original service has done since.
 */
export async function passOverWaiting(tx: Tx): Promise<void> {
  const start = await factsFromNow(tx);
  await tx.run(sql`update rule_readers set read_transaction_id = ${start.transactionId}::xid8, read_id = ${start.id}`);
  await tx.run(sql`delete from survey_plans where due_at <= ${tx.now}`);
  await tx.run(sql`update rule_timers set done_at = ${tx.now} where done_at is null and due_at <= ${tx.now}`);
}
