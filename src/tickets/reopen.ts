import { type Fact, record } from '../activity/record.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { type Tx, together } from '../platform/db.ts';
import { saveTicket } from './change.ts';
import type { Ticket } from './schema.ts';

/** Brings a locked ticket back to where it is seen: open, out of the archive, awake. One that is so already stays as it is. */
export async function reopenTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticket, wokenBy }: { ticket: Ticket; wokenBy: 'time' | 'delivery' },
): Promise<void> {
  const { id: ticketId, status, archivedAt, snoozedUntil } = ticket;
  if (status === 'open' && archivedAt === null && snoozedUntil === null) return;
  const about = { workspaceId, ticketId, actor: { type: 'system' } } satisfies Partial<Fact<'ticket.woken'>>;
  await together([
    saveTicket(tx, workspaceId, { ...ticket, status: 'open', archivedAt: null, snoozedUntil: null }),
    snoozedUntil === null ? undefined : record(tx, { ...about, type: 'ticket.woken', data: { by: wokenBy } }),
    status === 'open'
      ? undefined
      : record(tx, { ...about, type: 'ticket.status_changed', data: { from: status, to: 'open', reason: null } }),
    archivedAt === null ? undefined : record(tx, { ...about, type: 'ticket.unarchived', data: {} }),
  ]);
}
