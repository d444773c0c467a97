import type { MailboxField } from '../catalog/events.ts';
import type { Role } from '../catalog/permissions.ts';
import type { MessageId, UserId } from '../lib/ids.ts';

/** A fact about a ticket as the rules see it, with the people involved. */
export type NotifiableFact =
  | { type: 'ticket.assigned'; to: UserId | null }
  | { type: 'message.added'; by: 'agent'; messageId: MessageId; mentioned: readonly UserId[] }
  | {
      type: 'message.added';
      by: 'customer';
      messageId: MessageId;
      assigneeId: UserId | null;
      followerIds: readonly UserId[];
      isAutomatic: boolean;
    };

/** Most important first: a person concerned in several ways gets only the first type. */
export const notificationTypes = ['mention', 'assignment', 'reply', 'mailbox'] as const;
type NotificationType = (typeof notificationTypes)[number];
type TicketNotificationType = Exclude<NotificationType, 'mailbox'>;
export type Told = { userId: UserId; type: TicketNotificationType; messageId: MessageId | null };

/**
 * Maps the facts of one change to the people to notify: one row for each person, and none for the actor.
 */
export function peopleToTell(facts: readonly NotifiableFact[], actorUserId: UserId | null): Told[] {
  const concerned = facts.flatMap(concernedBy).filter(({ userId }) => userId !== actorUserId);
  const byRank = concerned.toSorted((a, b) => notificationTypes.indexOf(b.type) - notificationTypes.indexOf(a.type));
  return [...new Map(byRank.map((told) => [told.userId, told])).values()];
}

function concernedBy(fact: NotifiableFact): Told[] {
  if (fact.type === 'ticket.assigned')
    return fact.to === null ? [] : [{ userId: fact.to, type: 'assignment', messageId: null }];
  const { messageId } = fact;
  if (fact.by === 'agent') return fact.mentioned.map((userId) => ({ userId, type: 'mention', messageId }));
  // Automatic mail notifies nobody.
  if (fact.isAutomatic) return [];
  const theirs = fact.assigneeId === null ? [] : [fact.assigneeId];
  return [...theirs, ...fact.followerIds].map((userId) => ({ userId, type: 'reply', messageId }));
}

/** The roles that hear of a mailbox's trouble, because they can fix it. */
export const managerRoles: readonly Role[] = ['owner', 'admin'];

/** A mailbox that cannot be read, or cannot send. */
export type MailboxTrouble = { mailboxId: string; address: string; field: MailboxField; status: string };

export function titleOfTrouble({ address, field, status }: MailboxTrouble): string {
  if (field === 'sendStatus') return `The mailbox ${address} cannot send`;
  if (status === 'reauthorization_required') return `The mailbox ${address} must be connected again`;
  return `The mailbox ${address} cannot be read`;
}

export function titleOf(type: TicketNotificationType, ticket: { ticketNumber: number; subject: string }): string {
  const about = `#${ticket.ticketNumber} ${ticket.subject}`;
  if (type === 'mention') return `You were mentioned in ${about}`;
  if (type === 'assignment') return `You were assigned ${about}`;
  return `New reply in ${about}`;
}

/** Titles of a notification about several tickets, as templates for PostgreSQL's `format`. */
export const titlesOfMany: Record<TicketNotificationType, string> = {
  mention: 'You were mentioned in %s tickets',
  assignment: 'You were assigned %s tickets',
  reply: 'New replies in %s tickets',
};
