import { contactSearchVector } from '../src/helpdesk/contacts/search-words.ts';
import { messageSearchVector } from '../src/helpdesk/messages/words.ts';
import { rankOfPriority } from '../src/helpdesk/tickets/priority.ts';
import { ticketSearchVector } from '../src/helpdesk/tickets/rows.ts';
import { accountsAt } from './account-rows.ts';
import type { Field } from './copy.ts';
import {
  type Contact,
  contactCount,
  contactOf,
  drawnTickets,
  factId,
  isUnread,
  lastMessageMsOf,
  messageOf,
  notificationId,
  personOf,
  type Ticket,
  ticketOf,
  type World,
  workspaceCount,
  workspaceId,
} from './world.ts';

const at = (milliseconds: number): string => new Date(milliseconds).toISOString();

export function* counterRows(world: World): Generator<Field[]> {
  const counts = Array.from({ length: workspaceCount }, () => 0);
  for (const { workspace, number } of drawnTickets(world)) counts[workspace] = number;
  for (const [workspace, count] of counts.entries()) yield [workspaceId(workspace), count];
}

export function* contactRows(world: World): Generator<Field[]> {
  for (let workspace = 0; workspace < workspaceCount; workspace++) {
    for (let index = 0; index < contactCount(world, workspace); index++) {
      const { id, email, name } = contactOf(workspace, index);
      const inWorkspace = workspaceId(workspace);
      yield [inWorkspace, id, email, email, name, accountsAt, contactSearchVector(inWorkspace, { email, name })];
    }
  }
}

export function* ticketRows(world: World): Generator<Field[]> {
  for (const { index, number } of drawnTickets(world)) {
    const ticket = ticketOf(world, index);
    const inWorkspace = workspaceId(ticket.workspace);
    const lastMessageAt = at(lastMessageMsOf(ticket));
    const tags = `{${ticket.tags}}`;
    const last = messageOf(ticket, index, ticket.messageCount - 1);
    yield [
      inWorkspace,
      ticket.id,
      number,
      ticket.subject,
      ticket.status,
      ticket.priority,
      rankOfPriority(ticket.priority),
      ticket.assignee?.userId ?? null,
      tags,
      tags,
      ticket.contact.id,
      'email',
      ticket.isArchived ? lastMessageAt : null,
      ticket.messageCount,
      lastMessageAt,
      at(ticket.createdMs),
      lastMessageAt,
      1,
      1,
      last.id,
      last.isFromCustomer ? 'inbound' : 'outbound',
      last.author.name,
      last.body.replaceAll(/\s+/g, ' ').slice(0, 160),
      last.isFromCustomer && ticket.status !== 'closed' ? lastMessageAt : null,
      ticketSearchVector(inWorkspace, { subject: ticket.subject, people: [ticket.contact], attachmentNames: [] }),
    ];
  }
}

export function* participantRows(world: World): Generator<Field[]> {
  for (let index = 0; index < world.ticketCount; index++) {
    const { workspace, id, contact } = ticketOf(world, index);
    yield [workspaceId(workspace), id, contact.id];
  }
}

/**
 * How many tickets begin before the next message of an earlier ticket. So a conversation lies scattered on disk, as in
 * real use.
 */
const ticketsBetweenMessages = [0, 97, 389] as const;
const ticketsBetweenFurther = 41;

/** How many tickets begin between a ticket and its message of this index. */
function delayOf(message: number): number {
  return ticketsBetweenMessages[message] ?? ticketsBetweenMessages[2] + (message - 2) * ticketsBetweenFurther;
}

export function* messageRows(world: World): Generator<Field[]> {
  for (const [ticket, index, message] of messagesOf(world)) yield messageRow(ticket, index, message);
}

export function* wordRows(world: World): Generator<Field[]> {
  for (const [ticket, index, message] of messagesOf(world)) {
    const { id, body, createdMs } = messageOf(ticket, index, message);
    const inWorkspace = workspaceId(ticket.workspace);
    yield [inWorkspace, id, at(createdMs), messageSearchVector(inWorkspace, body)];
  }
}

function* messagesOf(world: World): Generator<[ticket: Ticket, index: number, message: number]> {
  const { messageCount } = ticketOf(world, 0);
  const further = Array.from({ length: messageCount - ticketsBetweenMessages.length }, (_, extra) => extra + 3);
  for (let step = 0; step < world.ticketCount + Math.max(...ticketsBetweenMessages); step++) {
    for (const [message, delay] of ticketsBetweenMessages.entries()) {
      const index = step - delay;
      if (index >= 0 && index < world.ticketCount) yield [ticketOf(world, index), index, message];
    }
    for (const message of further) {
      const index = step - delayOf(message);
      if (index >= 0 && index < workspaceCount) yield [ticketOf(world, index), index, message];
    }
  }
}

function messageRow(ticket: Ticket, index: number, message: number): Field[] {
  const { id, author, isFromCustomer, body, createdMs } = messageOf(ticket, index, message);
  const inWorkspace = workspaceId(ticket.workspace);
  return [
    inWorkspace,
    id,
    ticket.id,
    isFromCustomer ? 'inbound' : 'outbound',
    isFromCustomer ? 'customer' : 'agent',
    isFromCustomer ? null : ticketAgent(ticket),
    isFromCustomer ? (author as Contact).id : null,
    author.name,
    author.email,
    body,
    at(createdMs),
  ];
}

function ticketAgent({ assignee, workspace }: Ticket): string {
  return (assignee ?? personOf(workspace, 0)).userId;
}

export function* activityRows(world: World): Generator<Field[]> {
  for (let index = 0; index < world.ticketCount; index++) {
    const ticket = ticketOf(world, index);
    const { workspace, id, createdMs, assignee } = ticket;
    const fact = (place: number, type: string, agentId: string | null, data: object): Field[] => [
      workspaceId(workspace),
      factId(createdMs, index, place),
      id,
      type,
      agentId === null ? 'customer' : 'agent',
      agentId,
      JSON.stringify(data),
      at(createdMs),
    ];
    yield fact(0, 'ticket.created', null, { channel: 'email' });
    if (assignee !== null)
      yield fact(1, 'ticket.assigned', personOf(workspace, 0).userId, { from: null, to: assignee.userId });
    for (let message = 1; message < ticket.messageCount; message++) {
      const { id: messageId, isFromCustomer } = messageOf(ticket, index, message);
      const direction = isFromCustomer ? 'inbound' : 'outbound';
      yield fact(1 + message, 'message.added', isFromCustomer ? null : ticketAgent(ticket), { messageId, direction });
    }
  }
}

/** Every assignee got a notification, and has read most. */
export function* notificationRows(world: World): Generator<Field[]> {
  for (const { index, number } of drawnTickets(world)) {
    const ticket = ticketOf(world, index);
    const { workspace, id, subject, assignee, createdMs } = ticket;
    if (assignee === null) continue;
    yield [
      workspaceId(workspace),
      notificationId(createdMs, index),
      assignee.userId,
      'assignment',
      id,
      factId(createdMs, index, 1),
      `You were assigned #${number} ${subject}`,
      isUnread(world, ticket, index) ? null : at(createdMs + 3_600_000),
      at(createdMs),
    ];
  }
}
