import { record } from '../../../events/activity/record.ts';
import { automation } from '../../../ground/catalog/doer.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { mergeRows } from '../../../helpdesk/merges/merge-rows.ts';
import type { MailTicket } from './mail-tickets.ts';

/**
 * Joins untouched tickets that an import made, when one mail names ids of several of them.
 * The ticket with the oldest message survives. The other tickets are merged into it and keep their numbers.
 * The result therefore does not depend on the order in which the mails arrived.
 * @param tickets locked, live and import-only, at least one
 * @param isPast whether streams and webhooks pass over it
 * @returns the survivor; the caller updates its count, times and search vector (`settleTicket`)
 */
export async function joinImported(
  tx: Tx,
  workspaceId: WorkspaceId,
  tickets: readonly MailTicket[],
  { isPast }: { isPast: boolean },
): Promise<MailTicket> {
  const [survivor, ...others] = [...tickets].sort(byOldestMessage);
  if (survivor === undefined) throw new Error('there is no ticket to join');
  if (others.length === 0) return survivor;
  if (tickets.some(({ isImportOnly }) => !isImportOnly)) throw new Error('only untouched imported tickets are joined');
  const from = others.map(({ id }) => id);
  const counts = await tx.rows<{ ticketId: TicketId; messages: number }>(sql`
    select ticket_id as "ticketId", count(*) as messages
    from messages
    where workspace_id = ${workspaceId} and ticket_id = any(${from}::uuid[])
    group by ticket_id`);
  const by = automation(workspaceId, { kind: 'import', id: null });
  const facts = counts.flatMap(({ ticketId, messages }) => [
    record(tx, by, {
      ticketId,
      type: 'ticket.merged',
      isPast,
      data: { intoTicketId: survivor.id, movedMessages: messages },
    }),
    record(tx, by, {
      ticketId: survivor.id,
      type: 'ticket.merged_from',
      isPast,
      data: { fromTicketId: ticketId, movedMessages: messages },
    }),
  ]);
  // Untouched imported tickets have no tags: a mailbox's default tags go to live mail only.
  const merges = from.map((sourceId) => ({ id: tx.newId(), sourceId, broughtTagKeys: [] }));
  await together([
    ...facts,
    mergeRows(tx, workspaceId, { merges, targetId: survivor.id }),
    closeMerged(tx, workspaceId, { ticketIds: from, intoId: survivor.id }),
  ]);
  return {
    ...survivor,
    isSenderKnown: tickets.some(({ isSenderKnown }) => isSenderKnown),
    matchedIds: tickets.flatMap(({ matchedIds }) => matchedIds),
  };
}

/** Orders tickets of one instant by fingerprint. Fingerprints never tie: copies of a mail share one ticket. */
function byOldestMessage(a: MailTicket, b: MailTicket): number {
  const keyOf = ({ oldest }: MailTicket) => `${oldest?.at ?? '~'} ${oldest?.fingerprint ?? ''}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

/** Closes the merged tickets in a single write. */
async function closeMerged(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticketIds, intoId }: { ticketIds: readonly TicketId[]; intoId: TicketId },
): Promise<void> {
  await tx.run(sql`
    update tickets
    set status = 'closed', snoozed_until = null, merged_into_id = ${intoId}, message_count = 0,
      last_message_id = null, attachment_count = 0, delivery_problem = null, waiting_since = null,
      summary_version = version + 1,
      updated_at = greatest(updated_at, ${tx.now}), version = version + 1
    where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[])`);
}
