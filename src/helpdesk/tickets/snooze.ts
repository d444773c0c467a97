import { automation } from '../../ground/catalog/doer.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { findLocked } from './change.ts';
import { reopenTicket } from './change-ticket.ts';

/** Enough work for a while. Many due tickets of one workspace leave room for the tickets of other workspaces. */
const ofWorkspaceMax = 100;

/**
 * Lists snoozed tickets whose time has come, in any workspace. A merged ticket sleeps until it is unmerged. A ticket in
 * the trash or in spam sleeps until it is back.
 */
export function listDueSnoozes(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select w.workspace_id as "workspaceId", t.id
    from ticket_counters w
    cross join lateral (
      select s.id, s.snoozed_until
      from tickets s
      where s.workspace_id = w.workspace_id and s.snoozed_until <= ${now} and s.merged_into_id is null
        and s.trashed_at is null and s.spam_at is null ${except(sql`s.id`)}
      order by s.snoozed_until
      limit ${ofWorkspaceMax}) t
    where true ${within(sql`w.workspace_id`)}
    order by t.snoozed_until
    limit ${rowsMax}`);
}

/**
 * Reopens and unarchives a ticket whose snooze is over. Leaves sleeping, awake, deleted and merged tickets alone, and
 * tickets that another process has locked: they stay due unless it wakes them.
 */
export async function wakeTicket(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
): Promise<void> {
  const due = await tx.maybe(sql`
    select from tickets
    where workspace_id = ${workspaceId} and id = ${ticketId} and snoozed_until <= ${tx.now} and merged_into_id is null
      and trashed_at is null and spam_at is null
    for no key update skip locked`);
  const by = automation(workspaceId, { kind: 'snooze', id: null });
  const ticket = due === undefined ? undefined : await findLocked(tx, by, ticketId);
  if (ticket !== undefined) await reopenTicket(tx, by, ticket);
}
