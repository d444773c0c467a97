import { record } from '../activity/record.ts';
import { audit } from '../audit/audit.ts';
import type { Actor } from '../catalog/actor.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { AppError } from '../lib/errors.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { readNotificationsOf } from '../notifications/mark-read.ts';
import { findLocked, refuseMerged, refuseStale, saveTicket, type Target } from '../tickets/change.ts';
import { recordState } from '../tickets/record-state.ts';
import type { Ticket } from '../tickets/schema.ts';
import { makeUnread } from '../tickets/unread.ts';
import { lockTree } from '../trash/trash.ts';

/**
 * Marks a ticket as spam, with the tickets that were merged into it. It is archived as well, so the lists of the inbox
 * leave it out by the conditions that they have anyway. A repeated call changes nothing.
 */
export async function markSpam(
  tx: Tx,
  actor: Actor,
  { ticketId, ifMatch }: Omit<Target, 'workspaceId'>,
): Promise<Ticket> {
  const { workspaceId, userId } = actor;
  const { tree, before } = await lockWhole(tx, workspaceId, ticketId);
  if (before.spamAt !== null) return before;
  refuseStale(before, ifMatch);
  const spamAt = tx.now.toISOString();
  const after: Ticket = { ...before, spamAt, spamReason: 'marked', archivedAt: before.archivedAt ?? spamAt };
  const [ticket] = await together([
    saveTicket(tx, workspaceId, after),
    hideMerged(tx, workspaceId, { tree, ticketId, spamAt }),
    readNotificationsOf(tx, workspaceId, ticketId),
    record(tx, {
      workspaceId,
      ticketId,
      actor: { type: 'agent', userId },
      type: 'ticket.spam_changed',
      data: { isSpam: true, reason: 'marked' },
    }),
    // The events of the ticket go with it when it is deleted for good.
    audit(tx, actor, { type: 'ticket.marked_spam', subjectId: ticketId, data: { ticketNumber: before.ticketNumber } }),
  ]);
  return ticket;
}

/**
 * Brings a ticket back from spam to where it was. If a person's mail came while it was spam, the ticket opens, and
 * everyone whom that mail would have told is told now. A repeated call changes nothing.
 */
export async function unmarkSpam(
  tx: Tx,
  { workspaceId, userId }: Actor,
  { ticketId, ifMatch }: Omit<Target, 'workspaceId'>,
): Promise<Ticket> {
  const { tree, before } = await lockWhole(tx, workspaceId, ticketId);
  const { spamAt } = before;
  if (spamAt === null) return before;
  refuseStale(before, ifMatch);
  const missedId = await takeMissed(tx, workspaceId, ticketId);
  const back: Ticket = {
    ...before,
    spamAt: null,
    spamReason: null,
    archivedAt: before.archivedAt === spamAt ? null : before.archivedAt,
  };
  const after: Ticket =
    missedId === undefined ? back : { ...back, status: 'open', archivedAt: null, snoozedUntil: null };
  const about = { workspaceId, ticketId, actor: { type: 'agent', userId } } as const;
  const [ticket] = await together([
    saveTicket(tx, workspaceId, after),
    showMerged(tx, workspaceId, { tree, ticketId }),
    missedId === undefined ? undefined : makeUnread(tx, { workspaceId, ticketId, messageId: missedId }, userId),
    record(tx, {
      ...about,
      type: 'ticket.spam_changed',
      data: { isSpam: false, reason: null },
      ...(missedId !== undefined && { missedMessageId: missedId }),
    }),
    recordState(tx, about, { before: back, after, wokenBy: 'reply' }),
  ]);
  return ticket;
}

/** Locks a ticket with the tickets that were merged into it. Throws 404 for a missing one or one in the trash. */
async function lockWhole(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketId: TicketId,
): Promise<{ tree: TicketId[]; before: Ticket }> {
  const tree = await lockTree(tx, workspaceId, ticketId);
  const before = await findLocked(tx, workspaceId, ticketId);
  if (before === undefined) throw new AppError('ticket.not_found');
  refuseMerged(before);
  return { tree, before };
}

/** Reads which mail told nobody while a ticket was spam, and forgets it. */
async function takeMissed(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<MessageId | undefined> {
  const [missed] = await together([
    tx.maybe<{ id: MessageId | null }>(sql`
      select missed_message_id as id from tickets where workspace_id = ${workspaceId} and id = ${ticketId}`),
    tx.run(sql`
      update tickets set missed_message_id = null
      where workspace_id = ${workspaceId} and id = ${ticketId} and missed_message_id is not null`),
  ]);
  return missed?.id ?? undefined;
}

/** Merged tickets are closed, and lists of closed tickets show them. */
async function hideMerged(
  tx: Tx,
  workspaceId: WorkspaceId,
  { tree, ticketId, spamAt }: { tree: readonly TicketId[]; ticketId: TicketId; spamAt: string },
): Promise<void> {
  const merged = tree.filter((id) => id !== ticketId);
  if (merged.length === 0) return;
  await tx.run(sql`
    update tickets set spam_at = ${spamAt}, archived_at = coalesce(archived_at, ${spamAt})
    where workspace_id = ${workspaceId} and id = any(${merged}::uuid[])`);
}

async function showMerged(
  tx: Tx,
  workspaceId: WorkspaceId,
  { tree, ticketId }: { tree: readonly TicketId[]; ticketId: TicketId },
): Promise<void> {
  const merged = tree.filter((id) => id !== ticketId);
  if (merged.length === 0) return;
  await tx.run(sql`
    update tickets set spam_at = null, spam_reason = null, archived_at = nullif(archived_at, spam_at)
    where workspace_id = ${workspaceId} and id = any(${merged}::uuid[])`);
}
