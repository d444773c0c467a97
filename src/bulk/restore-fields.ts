import { record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import { type Tx, together } from '../database/db.ts';
import type { TicketId } from '../lib/ids.ts';
import { lockTicket, saveTicket } from '../tickets/change.ts';
import { ownTags } from '../tickets/own-tags.ts';
import { recordState } from '../tickets/record-state.ts';
import type { Ticket } from '../tickets/schema.ts';
import { tagChanges } from '../tickets/tags.ts';
import { factsOf } from '../tickets/update.ts';

export type RestoredFields = Partial<
  Pick<Ticket, 'status' | 'assigneeId' | 'priority' | 'tags' | 'snoozedUntil' | 'archivedAt'>
>;

/**
 * Gives a ticket back values that it had before. Unlike a change, it takes past times, and notifies nobody: a ticket
 * whose snooze would have ended meanwhile wakes at once.
 */
export async function restoreFields(
  tx: Tx,
  { workspaceId, userId }: Actor,
  ticketId: TicketId,
  fields: RestoredFields,
): Promise<void> {
  const before = await lockTicket(tx, { workspaceId, ticketId, ifMatch: undefined, evenSpam: true });
  const after: Ticket = { ...before, ...fields };
  const about = { workspaceId, ticketId, actor: { type: 'agent', userId } } as const;
  await together([
    saveTicket(tx, workspaceId, after),
    ...factsOf(before, after).map((fact) => record(tx, { ...about, ...fact, isQuiet: true })),
    recordState(tx, about, { before, after }),
    ownTags(tx, { workspaceId, ticketId }, tagChanges(before.tags, after.tags)),
  ]);
}
