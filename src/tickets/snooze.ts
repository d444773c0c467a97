import type { Queryable, Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { invalidRequest } from '../lib/errors.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import type { DueRow, DueScope } from '../queue/due-work.ts';
import { findLocked } from './change.ts';
import { reopenTicket } from './reopen.ts';

/** A longer snooze is a typo. Also, stored times must have years of four digits. */
const yearsMax = 100;

/** Normalises the time at which an agent wants a ticket to wake. Throws 400 if it is past or absurdly far. */
export function wakeTimeOf(now: Date, named: string): string {
  const until = new Date(named);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + yearsMax);
  if (until > now && until <= latest) return until.toISOString();
  throw invalidRequest({ path: 'body.snoozedUntil', message: `must be in the future, within ${yearsMax} years` });
}

/** Lists snoozed tickets whose time has come, in any workspace. A merged ticket sleeps until it is unmerged. */
export function listDueSnoozes(db: Queryable, { now, among, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select t.workspace_id as "workspaceId", t.id
    from tickets t
    where t.snoozed_until <= ${now} and t.merged_into_id is null ${among(sql`t.workspace_id`, sql`t.id`)}
    order by t.snoozed_until
    limit ${rowsMax}`);
}

/** Reopens and unarchives a ticket whose snooze is over. Leaves sleeping, awake, deleted and merged tickets alone. */
export async function wakeTicket(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
): Promise<void> {
  const before = await findLocked(tx, workspaceId, ticketId);
  if (before === undefined || before.mergedIntoId !== null || before.snoozedUntil === null) return;
  if (before.snoozedUntil > tx.now.toISOString()) return;
  await reopenTicket(tx, workspaceId, { ticket: before, wokenBy: 'time' });
}
