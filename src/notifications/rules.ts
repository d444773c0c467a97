import type { UserId } from '../lib/ids.ts';

/** A fact as the rules see it: what happened to which ticket, and who stands in what relation to it. */
export type NotifiableFact =
  | { type: 'ticket.assigned'; to: UserId | null }
  | { type: 'message.added'; by: 'agent'; mentioned: readonly UserId[] }
  | { type: 'message.added'; by: 'customer'; assigneeId: UserId | null; isAutomatic: boolean };

export type NotificationType = 'mention' | 'assignment' | 'reply';
export type Told = { userId: UserId; type: NotificationType };

/** Fact → whom it is told, and as what. One row a person; the one who did it is left out by the caller. */
export function peopleToTell(fact: NotifiableFact): Told[] {
  if (fact.type === 'ticket.assigned') return fact.to === null ? [] : [{ userId: fact.to, type: 'assignment' }];
  if (fact.by === 'agent') return [...new Set(fact.mentioned)].map((userId) => ({ userId, type: 'mention' }));
  // Machines' mail concerns nobody at once.
  return fact.assigneeId === null || fact.isAutomatic ? [] : [{ userId: fact.assigneeId, type: 'reply' }];
}

const mention = /@\[([^\]\n]{1,200})\]\(user:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\)/gi;
const mentionsMax = 100;

/** The accounts that a text mentions as `@[Name](user:<userId>)`, each once, in order; whether they are members is not known here. */
export function mentionedUsers(text: string): UserId[] {
  const ids = [...text.matchAll(mention)].map((match) => (match[2] ?? '').toLowerCase());
  return [...new Set(ids)].slice(0, mentionsMax);
}

export function titleOf(type: NotificationType, ticket: { ticketNumber: number; subject: string }): string {
  const about = `#${ticket.ticketNumber} ${ticket.subject}`;
  if (type === 'mention') return `You were mentioned in ${about}`;
  if (type === 'assignment') return `You were assigned ${about}`;
  return `New reply in ${about}`;
}
