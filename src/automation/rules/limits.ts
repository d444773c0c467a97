import { audit } from '../../access/audit/audit.ts';
import { record } from '../../events/activity/record.ts';
import { automation } from '../../ground/catalog/doer.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { keepReader } from '../readers/keep-reader.ts';
import type { Rule } from './schema.ts';
import { endTimers } from './timers.ts';

/** Of all rules on a ticket. */
const runsAnHour = 20;
/** Of a rule on a ticket. */
const mailsADay = 3;
/** Tickets on which a rule met a limit; then it is paused. */
const ticketsAnHour = 10;

const hourMs = 3_600_000;

/** Whether a rule has done enough with a ticket for now. */
export async function isAtLimit(
  tx: Tx,
  workspaceId: WorkspaceId,
  { id, actions }: Pick<Rule, 'id' | 'actions'>,
  ticketId: TicketId,
): Promise<boolean> {
  const { runs, mails } = await tx.one<{ runs: number; mails: number }>(sql`
    select count(*) filter (
        where r.outcome in ('done', 'failed') and r.created_at > ${new Date(tx.now.getTime() - hourMs)}
      ) as runs, count(*) filter (where r.rule_id = ${id} and r.is_mail) as mails
    from rule_runs r
    where r.workspace_id = ${workspaceId} and r.ticket_id = ${ticketId}
      and r.created_at > ${new Date(tx.now.getTime() - 24 * hourMs)}`);
  return runs >= runsAnHour || (actions.reply !== undefined && mails >= mailsADay);
}

/** Pauses a rule that meets limits on many tickets, and tells owners and admins. @returns whether it did */
export async function pauseAtLimit(
  tx: Tx,
  workspaceId: WorkspaceId,
  { id, name }: Pick<Rule, 'id' | 'name'>,
): Promise<boolean> {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(distinct r.ticket_id) from rule_runs r
    where r.workspace_id = ${workspaceId} and r.rule_id = ${id} and r.outcome = 'skipped_limit'
      and r.created_at > ${new Date(tx.now.getTime() - hourMs)}`);
  if (count < ticketsAnHour) return false;
  const reason = 'limit';
  await together([
    tx.run(sql`
      update rules set active_since = null, paused_reason = ${reason}, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${id}`),
    endTimers(tx, { workspaceId, ruleId: id }),
    audit(tx, { workspaceId, userId: null }, { type: 'rule.paused', subjectId: id, data: { name, reason } }),
    record(tx, automation(workspaceId, { kind: 'rule', id, depth: 1 }), {
      type: 'rule.paused',
      data: { ruleId: id, reason },
    }),
  ]);
  await keepReader(tx, workspaceId);
  return true;
}
