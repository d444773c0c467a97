import type { Actor } from '../catalog/actor.ts';
import type { Live } from '../database/live.ts';
import type { TicketId } from '../lib/ids.ts';

/** Tells the member's own streams whether a ticket is unread for them. To be called behind the commit. */
export function tellOfSeen(
  live: Live,
  { workspaceId, userId }: Actor,
  data: { ticketId: TicketId; unread: boolean },
): void {
  live.signal({ workspaceId, userId, event: 'seen', data });
}
