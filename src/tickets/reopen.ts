import { type Tx, together } from '../database/db.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { saveTicket } from './change.ts';
import { recordState } from './record-state.ts';
import type { Ticket } from './schema.ts';

/** Brings a locked ticket back into view: open, unarchived, awake. Leaves a visible ticket and spam unchanged. */
export async function reopenTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticket: before, wokenBy }: { ticket: Ticket; wokenBy: 'time' | 'delivery' },
): Promise<void> {
  if (before.spamAt !== null) return;
  if (before.status === 'open' && before.archivedAt === null && before.snoozedUntil === null) return;
  const after: Ticket = { ...before, status: 'open', archivedAt: null, snoozedUntil: null };
  const about = { workspaceId, ticketId: before.id, actor: { type: 'system' } } as const;
  await together([saveTicket(tx, workspaceId, after), recordState(tx, about, { before, after, wokenBy })]);
}
