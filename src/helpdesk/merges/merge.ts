import { record } from '../../events/activity/record.ts';
import { refuseMixedSamples } from '../../events/samples/marks.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { lockTickets, refuseMerged, refuseSpam, refuseStale, type Target } from '../tickets/change.ts';
import type { Ticket } from '../tickets/schema.ts';
import { unitedTags } from '../tickets/tags.ts';
import { mergeRows, moveDrafts } from './merge-rows.ts';
import { settleMoved } from './move-messages.ts';

export type MergeTickets = Target & { targetTicketId: TicketId };

/**
 * Moves everything of a ticket into another, and closes the ticket.
 * The target keeps its subject, status, archive, snooze, requester, assignee and priority, because the actor chose it.
 * Of two opposite merges at once, the second finds its target already merged.
 * An error about the target has its id, because it would otherwise seem to be about the source.
 */
export async function mergeTickets(
  tx: Tx,
  actor: Actor,
  { ticketId, targetTicketId, ifMatch }: MergeTickets,
): Promise<{ source: Ticket; target: Ticket; movedMessages: number }> {
  const { workspaceId } = actor;
  const locked = await lockTickets(tx, actor, [ticketId, targetTicketId]);
  const source = locked.get(ticketId);
  const target = locked.get(targetTicketId);
  if (source === undefined) throw new AppError('ticket.not_found');
  if (target === undefined) throw new AppError('ticket.not_found', { targetTicketId });
  refuseStale(source, ifMatch);
  if (ticketId === targetTicketId) throw new AppError('ticket.merge_into_itself');
  refuseMerged(source);
  refuseMerged(target, { targetTicketId });
  refuseSpam(source);
  refuseSpam(target, { targetTicketId });

  await refuseMixedSamples(tx, workspaceId, [ticketId, targetTicketId]);

  const { tags, broughtKeys } = unitedTags(target.tags, source.tags);
  const movedMessages = source.messageCount;
  const [, sourceAfter, targetAfter] = await together([
    mergeRows(tx, workspaceId, {
      merges: [{ id: tx.newId(), sourceId: ticketId, broughtTagKeys: broughtKeys }],
      targetId: targetTicketId,
    }),
    settleMoved(tx, workspaceId, { ...source, status: 'closed', snoozedUntil: null, mergedIntoId: targetTicketId }),
    settleMoved(tx, workspaceId, { ...target, tags }),
    record(tx, actor, {
      ticketId,
      type: 'ticket.merged',
      data: { intoTicketId: targetTicketId, movedMessages },
    }),
    record(tx, actor, {
      ticketId: targetTicketId,
      type: 'ticket.merged_from',
      data: { fromTicketId: ticketId, movedMessages },
    }),
  ]);
  await moveDrafts(tx, workspaceId, { from: ticketId, to: targetTicketId });
  return { source: sourceAfter, target: targetAfter, movedMessages };
}
