/** The events of a ticket, with their details. Each row of the activity table also has actor and time. */
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
  'ticket.unmerged': { fromTicketId: string; movedMessages: number };
  'ticket.unmerged_from': { sourceTicketId: string; movedMessages: number };
  'ticket.split': { intoTicketId: string; movedMessages: number };
  'ticket.split_from': { fromTicketId: string; movedMessages: number };
  'ticket.snoozed': { until: string };
  'ticket.woken': { by: 'time' | 'reply' | 'agent' | 'delivery' };
  'message.added': { messageId: string; direction: 'inbound' | 'outbound' | 'internal' };
  'message.delivery_changed': { messageId: string; status: string };
};

const ticketEventTypes = [
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
  'ticket.unmerged',
  'ticket.unmerged_from',
  'ticket.split',
  'ticket.split_from',
  'ticket.snoozed',
  'ticket.woken',
  'message.added',
  'message.delivery_changed',
] as const satisfies readonly (keyof TicketEvents)[];

export type TicketEventType = keyof TicketEvents;

/** The two statuses of a mailbox: `status` is about reading, `sendStatus` about sending. */
export type MailboxField = 'status' | 'sendStatus';

/** The events of a mailbox, with their details. */
export type MailboxEvents = {
  'mailbox.status_changed': {
    mailboxId: string;
    field: MailboxField;
    from: string;
    to: string;
    reason: string | null;
  };
  /** The problem persists, so members get a reminder. */
  'mailbox.reminded': {
    mailboxId: string;
    field: MailboxField;
    status: string;
    since: string;
    reason: string | null;
  };
};

export type MailboxEventType = keyof MailboxEvents;
export type EventType = TicketEventType | MailboxEventType;

/** Every event that webhooks and streams send. */
export const eventTypes = [
  ...ticketEventTypes,
  'mailbox.status_changed',
  'mailbox.reminded',
] as const satisfies readonly EventType[];
