import { record } from '../activity/record.ts';
import type { Events, Fact } from '../catalog/events.ts';
import { type Tx, together } from '../database/db.ts';
import type { Ticket } from './schema.ts';

export type TicketState = Pick<Ticket, 'status' | 'archivedAt' | 'snoozedUntil'>;

/** Records the facts of a ticket that is opened, closed, archived, unarchived or woken. No change, no fact. */
export async function recordState(
  tx: Tx,
  about: Pick<Fact<'ticket.status_changed'>, 'workspaceId' | 'ticketId' | 'actor'>,
  {
    before,
    after,
    reason = null,
    wokenBy,
  }: {
    before: TicketState;
    after: TicketState;
    reason?: string | null;
    /** Required if the change may wake the ticket. */
    wokenBy?: Events['ticket.woken']['by'];
  },
): Promise<void> {
  const isWoken = before.snoozedUntil !== null && after.snoozedUntil === null;
  await together([
    isWoken && wokenBy !== undefined
      ? record(tx, { ...about, type: 'ticket.woken', data: { by: wokenBy } })
      : undefined,
    before.status === after.status
      ? undefined
      : record(tx, {
          ...about,
          type: 'ticket.status_changed',
          data: { from: before.status, to: after.status, reason },
        }),
    (before.archivedAt === null) === (after.archivedAt === null)
      ? undefined
      : record(tx, { ...about, type: after.archivedAt === null ? 'ticket.unarchived' : 'ticket.archived', data: {} }),
  ]);
}
