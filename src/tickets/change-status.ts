import type { Actor } from '../catalog/actor.ts';
import type { Status } from '../catalog/ticket-status.ts';
import { type Tx, together } from '../database/db.ts';
import { lockTicket, saveTicket, type Target } from './change.ts';
import { recordState } from './record-state.ts';
import type { Ticket } from './schema.ts';

export type ChangeStatus = Omit<Target, 'workspaceId'> & { toStatus: Status; reason?: string };

/** Any status may follow any other. Repeating the current status changes nothing and records no fact. */
export async function changeStatus(
  tx: Tx,
  actor: Actor,
  { toStatus, reason, ...target }: ChangeStatus,
): Promise<Ticket> {
  const { workspaceId, userId } = actor;
  const before = await lockTicket(tx, { workspaceId, ...target });
  if (before.status === toStatus) return before;
  const after = { ...before, status: toStatus };
  const about = { workspaceId, ticketId: before.id, actor: { type: 'agent', userId } } as const;
  const [ticket] = await together([
    saveTicket(tx, workspaceId, after),
    recordState(tx, about, { before, after, reason: reason ?? null }),
  ]);
  return ticket;
}
