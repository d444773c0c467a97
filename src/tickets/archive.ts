import type { Actor } from '../catalog/actor.ts';
import { type Tx, together } from '../database/db.ts';
import { lockTicket, saveTicket, type Target } from './change.ts';
import { recordState } from './record-state.ts';
import type { Ticket } from './schema.ts';

/** Hides a ticket from the inbox, or brings it back. A repeated call changes nothing. */
export async function setArchived(
  tx: Tx,
  actor: Actor,
  { isArchived, ...target }: Omit<Target, 'workspaceId'> & { isArchived: boolean },
): Promise<Ticket> {
  const { workspaceId, userId } = actor;
  const before = await lockTicket(tx, { workspaceId, ...target });
  if ((before.archivedAt !== null) === isArchived) return before;
  const after = { ...before, archivedAt: isArchived ? tx.now.toISOString() : null };
  const about = { workspaceId, ticketId: before.id, actor: { type: 'agent', userId } } as const;
  const [ticket] = await together([saveTicket(tx, workspaceId, after), recordState(tx, about, { before, after })]);
  return ticket;
}
