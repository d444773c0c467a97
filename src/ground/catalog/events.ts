import type { MessageId, TeamId, TicketId, UserId } from '../lib/ids.ts';
import type { Performer } from './doer.ts';
import type { SpamReason } from './spam.ts';

// Every event with its details, by subject. The values only carry the types of the details: nothing reads them.
const ticketEvents = {
  'ticket.created': {} as { channel: 'api' | 'email' },
  'ticket.status_changed': {} as { from: string; to: string; reason: string | null },
  'ticket.assigned': {} as { from: UserId | null; to: UserId | null },
  'ticket.priority_changed': {} as { from: string; to: string },
  'ticket.tagged': {} as { added: string[]; removed: string[] },
  'ticket.subject_changed': {} as { from: string; to: string },
  'ticket.requester_changed': {} as { from: string | null; to: string | null },
  'ticket.mailbox_changed': {} as { from: string | null; to: string | null },
  'ticket.team_changed': {} as { from: TeamId | null; to: TeamId | null },
  'ticket.archived': {} as Record<string, never>,
  'ticket.unarchived': {} as Record<string, never>,
  'ticket.spam_changed': {} as { isSpam: boolean; reason: SpamReason | null },
  'ticket.trashed': {} as Record<string, never>,
  'ticket.restored': {} as Record<string, never>,
  /** Of a ticket that a mail opened because the ticket that it answers is in the trash. */
  'ticket.continued_from': {} as { fromTicketId: TicketId },
  'ticket.merged': {} as { intoTicketId: TicketId; movedMessages: number },
  'ticket.merged_from': {} as { fromTicketId: TicketId; movedMessages: number },
  'ticket.unmerged': {} as { fromTicketId: TicketId; movedMessages: number },
  'ticket.unmerged_from': {} as { sourceTicketId: TicketId; movedMessages: number },
  'ticket.split': {} as { intoTicketId: TicketId; movedMessages: number },
  'ticket.split_from': {} as { fromTicketId: TicketId; movedMessages: number },
  'ticket.snoozed': {} as { until: string },
  'ticket.woken': {} as { by: 'time' | 'reply' | 'agent' | 'delivery' },
  'message.added': {} as { messageId: MessageId; direction: 'inbound' | 'outbound' | 'internal' },
  'message.delivery_changed': {} as { messageId: MessageId; status: string },
  /** A person settled in another way that an answer did not arrive. */
  'message.delivery_handled': {} as { messageId: MessageId },
  /** A person removed its content for good. */
  'message.redacted': {} as { messageId: MessageId },
  /** A customer says how satisfied they are, from 1, the worst, to the best of the scale. */
  'survey.answered': {} as { answerId: string; score: number; scale: 'two' | 'three' | 'five' },
  /** A rule points people to the ticket. */
  'ticket.notified': {} as { userIds: UserId[]; teamId: TeamId | null },
};

/** The cast holds: `ticketEvents` has no other keys. */
export const ticketEventTypes = Object.keys(ticketEvents) as TicketEventType[];

/** The two statuses of a mailbox: `status` is about reading, `sendStatus` about sending. */
export type MailboxField = 'status' | 'sendStatus';

/**
 * What owners and admins are told of: statuses of a mailbox that need a person to act, and `unreachable`, which
 * stands in reminders for an active mailbox that could not be read for an hour.
 */
export const mailboxTroubles: readonly string[] = ['error', 'reauthorization_required', 'unreachable'];

const mailboxEvents = {
  'mailbox.status_changed': {} as {
    mailboxId: string;
    field: MailboxField;
    from: string;
    to: string;
    reason: string | null;
  },
  /** The problem persists, so members get a reminder. */
  'mailbox.reminded': {} as {
    mailboxId: string;
    field: MailboxField;
    status: string;
    since: string;
    reason: string | null;
  },
  /** Automatic mail rests, because there was too much of it within an hour. Null: mail by SMTP. */
  'mailbox.automatic_mail_paused': {} as { mailboxId: string | null },
};

const ruleEvents = {
  /** The service has paused a rule. */
  'rule.paused': {} as { ruleId: string; reason: string },
};

const teamEvents = {
  /** An admin has put themselves into a team. */
  'team.joined': {} as { teamId: TeamId; userId: UserId },
};

const events = { ...ticketEvents, ...mailboxEvents, ...ruleEvents, ...teamEvents };
export type Events = typeof events;
export type EventType = keyof Events;
export type TicketEventType = keyof typeof ticketEvents;

/** Every event that webhooks and streams send. The cast holds: `events` has no other keys. */
export const eventTypes = Object.keys(events) as EventType[];

/**
 * An event that happened. A fact about a ticket names the ticket; other facts have their subject in the details.
 * The optional fields are for the rules of notifications, and are not stored.
 */
export type Fact<Type extends EventType> = {
  type: Type;
  data: Events[Type];
  /** Whom the text of the change mentions, and in which message. */
  mentioned?: { messageId: MessageId; userIds: readonly UserId[] };
  /** The newest mail of which nobody was told, because it came while the ticket was spam. */
  missedMessageId?: MessageId;
  /** Whether the ticket brings the words of a customer for the first time. */
  isNewTicket?: boolean;
  /** The member who knows the customer's words already. */
  knownBy?: UserId | null;
  /** The member to whom the same change assigns the ticket. The assignment tells them. */
  newAssigneeId?: UserId | null;
  /** Whether the message is scheduled, so that colleagues hear of it only when it leaves. */
  isScheduled?: boolean;
  /** The author of a scheduled message that leaves now. */
  leavesFor?: UserId | null;
  /** The author of a scheduled message that does not leave, and whose text is their draft again. */
  returnsTo?: UserId | null;
  /** Whether the change notifies nobody, as imports and automatic mail do. */
  isQuiet?: boolean;
  /** Whether streams and webhooks pass over the change, because it is from long ago. It must be quiet, too. */
  isPast?: boolean;
} & (Type extends TicketEventType ? { ticketId: TicketId } : { ticketId?: never });

/** A fact, and by whom it happened. */
export type Recorded<Type extends EventType> = Fact<Type> & { by: Performer };
