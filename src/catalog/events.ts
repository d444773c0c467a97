/** What can happen to a ticket, and what its row in the activity table tells beside who and when. */
export type TicketEvents = {
  'ticket.created': { channel: 'api' | 'email' };
  'ticket.status_changed': { from: string; to: string; reason: string | null };
  'ticket.assigned': { from: string | null; to: string | null };
  'ticket.priority_changed': { from: string; to: string };
  'ticket.tagged': { added: string[]; removed: string[] };
  'ticket.subject_changed': { from: string; to: string };
  'ticket.requester_changed': { from: string | null; to: string | null };
  'ticket.archived': Record<string, never>;
  'ticket.unarchived': Record<string, never>;
  'ticket.merged': { intoTicketId: string; movedMessages: number };
  'ticket.merged_from': { fromTicketId: string; movedMessages: number };
  'message.added': { messageId: string; direction: 'inbound' | 'outbound' | 'internal' };
  'message.delivery_changed': { messageId: string; status: string };
};

export const ticketEventTypes = [
  'ticket.created',
  'ticket.status_changed',
  'ticket.assigned',
  'ticket.priority_changed',
  'ticket.tagged',
  'ticket.subject_changed',
  'ticket.requester_changed',
  'ticket.archived',
  'ticket.unarchived',
  'ticket.merged',
  'ticket.merged_from',
  'message.added',
  'message.delivery_changed',
] as const satisfies readonly (keyof TicketEvents)[];

export type TicketEventType = keyof TicketEvents;
