import { encodePosition, isBefore, type ReaderPosition } from '../../events/activity/position.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import type { StreamFact } from './read-facts.ts';

/** One block of a stream (HTML standard, "Server-sent events"). JSON contains no line breaks that would end a field. */
export function block(fields: { id?: ReaderPosition; event?: string; data?: object }): string {
  const id = fields.id === undefined ? '' : `id: ${encodePosition(fields.id)}\n`;
  const event = fields.event === undefined ? '' : `event: ${fields.event}\n`;
  const data = fields.data === undefined ? '' : `data: ${JSON.stringify(fields.data)}\n`;
  return `${id}${event}${data}\n`;
}

/** The events of facts for everyone who may read tickets. */
export function eventsOf(epoch: string, facts: readonly StreamFact[]): string {
  return facts.map((fact) => factBlock(epoch, fact)).join('');
}

/** The events of facts and notifications for one person, after the position where their stream broke off. */
export function eventsFor(userId: UserId, after: ReaderPosition, facts: readonly StreamFact[]): string {
  return facts
    .map((fact) => {
      const event = isBefore(after, placeOf(after.epoch, fact, 'event')) ? factBlock(after.epoch, fact) : '';
      const isNew = isBefore(after, placeOf(after.epoch, fact, 'notification'));
      return event + (isNew ? notificationBlock(after.epoch, fact, userId) : '');
    })
    .join('');
}

function placeOf(epoch: string, { transactionId, id }: StreamFact, part: ReaderPosition['part']): ReaderPosition {
  return { epoch, transactionId, factId: id, part };
}

function factBlock(epoch: string, fact: StreamFact): string {
  const { type, ticketId, messageId, ticket } = fact;
  const common = { actor: fact.actor, ...(fact.cause !== null && { cause: fact.cause }), createdAt: fact.createdAt };
  // A reader that resumes after this id may still need the fact's notification.
  const id = placeOf(epoch, fact, 'event');
  if (ticketId === null) {
    const event = type === 'team.joined' ? 'team' : 'mailbox';
    return block({ id, event, data: { type, ...fact.data, ...common } });
  }
  return block({
    id,
    event: type.startsWith('message.') ? 'message' : 'ticket',
    data: { type, ticketId, ...(messageId !== null && { messageId }), ...common, ticket },
  });
}

function notificationBlock(epoch: string, fact: StreamFact, userId: UserId): string {
  const notification = fact.notifications.find((other) => other.userId === userId);
  if (notification === undefined) return '';
  const { userId: _, ...whole } = notification;
  const { id: notificationId, type, messageId, count } = whole;
  return block({
    id: placeOf(epoch, fact, 'notification'),
    event: 'notification',
    data: {
      ...{ type, notificationId, ticketId: fact.ticketId, ...(messageId !== null && { messageId }), count },
      notification: whole,
    },
  });
}
