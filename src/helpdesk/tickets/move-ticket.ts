import { audit } from '../../access/audit/audit.ts';
import { readNotificationsOf } from '../../events/notifications/mark-read.ts';
import type { Doer } from '../../ground/catalog/doer.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { isShownToNobody } from './change.ts';
import type { Ticket } from './schema.ts';
import { makeUnread } from './unread.ts';

/** A locked ticket, with the locked tickets that were merged into it if it may enter or leave the trash or spam. */
export type Locked = { before: Ticket; tree: readonly TicketId[] };

/**
 * Takes along what belongs to a ticket that entered or left the trash or spam. Call it behind `recordChange`.
 * @param missedId the newest mail that told nobody while the ticket was spam
 */
export async function followMove(
  tx: Tx,
  by: Doer,
  { before, after, tree, missedId }: Locked & { after: Ticket; missedId: MessageId | null },
): Promise<void> {
  if (before.trashedAt === after.trashedAt && before.spamAt === after.spamAt) return;
  const { workspaceId, userId } = by;
  const { id: ticketId, ticketNumber } = after;
  const entry = { subjectId: ticketId, data: { ticketNumber } };
  const isMarked = before.spamAt === null && after.spamAt !== null;
  const isTrashed = before.trashedAt === null && after.trashedAt !== null;
  if (isMarked || isTrashed) readNotificationsOf(tx, workspaceId, ticketId);
  await together([
    moveMerged(tx, workspaceId, tree, after),
    missedId === null || isShownToNobody(after)
      ? undefined
      : makeUnread(tx, { workspaceId, ticketId, messageId: missedId }, userId),
    // The events of the ticket go with it when it is deleted for good.
    isMarked ? audit(tx, by, { type: 'ticket.marked_spam', ...entry }) : undefined,
    isTrashed ? audit(tx, by, { type: 'ticket.trashed', ...entry }) : undefined,
  ]);
}

/** Merged tickets are closed, and lists of closed tickets show them unless they are archived. */
async function moveMerged(
  tx: Tx,
  workspaceId: WorkspaceId,
  tree: readonly TicketId[],
  { id: ticketId, trashedAt, spamAt }: Ticket,
): Promise<void> {
  const merged = tree.filter((id) => id !== ticketId);
  if (merged.length === 0) return;
  const hiddenAt = spamAt ?? trashedAt;
  const archivedAt = sql`coalesce(nullif(nullif(archived_at, spam_at), trashed_at), ${hiddenAt}::timestamptz)`;
  await tx.run(sql`
    update tickets
    set trashed_at = ${trashedAt}, spam_at = ${spamAt}, archived_at = ${archivedAt},
      spam_reason = case when ${spamAt}::timestamptz is not null then spam_reason end
    where workspace_id = ${workspaceId} and id = any(${merged}::uuid[])`);
}
