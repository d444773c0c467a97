import { idOf, type Random, randomOf } from '../emulators/random.ts';
import type { UserId, WorkspaceId } from '../src/ground/lib/ids.ts';
import { bodyText, capital, rareWord, word, words } from './words.ts';

/**
 * The workspaces, people and tickets of the measurements. Each is a function of its index. So a million tickets can be
 * written as a stream, and any of them computed again later.
 */
export type World = { ticketCount: number; spanMs: number };

/** With `web`, 100,000 tickets are in one workspace. */
export const sizes = { small: 10_000, web: 200_000, large: 1_000_000 } as const;
export type Size = keyof typeof sizes;

export const workspaceCount = 50;
const membersPerWorkspace = 10;
export const mailboxesPerWorkspace = 4;
/** This workspace has half of all tickets. */
export const largestWorkspace = 0;
const messagesPerTicket = 3;
const messagesPerLongTicket = 200;
const ticketsPerReference = 5;
const assignedShare = 0.7;
/** The secret that marks a provider's notification as genuine. */
export const mailWebhookSecret = 'secret of the bench';
/** Unread notifications of each person, or all if the person has fewer. */
const unreadEach = 50;
const startMs = Date.UTC(2024, 0, 1);
const spanMs = 700 * 24 * 3600 * 1000;

/** The first number of a seed. */
const kinds = {
  workspace: 1,
  user: 2,
  session: 3,
  contact: 4,
  ticket: 5,
  message: 6,
  fact: 7,
  notification: 8,
  place: 9,
  mailbox: 11,
  subscription: 12,
  unread: 13,
} as const;

export function worldOf(size: Size): World {
  return { ticketCount: sizes[size], spanMs };
}

export function workspaceId(workspace: number): WorkspaceId {
  return idOf(startMs, kinds.workspace, workspace);
}

export function drawWorkspace(random: Random): number {
  return random.fraction() < 0.5 ? largestWorkspace : 1 + random.below(workspaceCount - 1);
}

function shareOf(workspace: number): number {
  return workspace === largestWorkspace ? 0.5 : 0.5 / (workspaceCount - 1);
}

/** A person belongs to one workspace: the first ten to the first, and so on. */
export type Person = { userId: UserId; sessionId: string; email: string; name: string };

export function personOf(workspace: number, member: number): Person {
  const index = workspace * membersPerWorkspace + member;
  return {
    userId: idOf(startMs, kinds.user, index),
    sessionId: idOf(startMs, kinds.session, index),
    email: `agent${index}@kontor.example`,
    name: `Agent ${index}`,
  };
}

export function* everybody(): Generator<Person & { workspace: number; member: number }> {
  for (let workspace = 0; workspace < workspaceCount; workspace++)
    for (let member = 0; member < membersPerWorkspace; member++)
      yield { ...personOf(workspace, member), workspace, member };
}

export function drawMember(random: Random, workspace: number): Person {
  return personOf(workspace, random.below(membersPerWorkspace));
}

export type Mailbox = { id: string; address: string; subscriptionIds: Record<'inbox' | 'sentitems', string> };

export function mailboxOf(workspace: number, mailbox: number): Mailbox {
  const index = workspace * mailboxesPerWorkspace + mailbox;
  return {
    id: idOf(startMs, kinds.mailbox, index),
    address: `desk${index}@kontor.example`,
    subscriptionIds: {
      inbox: idOf(startMs, kinds.subscription, index, 0),
      sentitems: idOf(startMs, kinds.subscription, index, 1),
    },
  };
}

/** A quarter as many contacts as tickets, in the same shares. */
export function contactCount({ ticketCount }: World, workspace: number): number {
  return Math.max(Math.round((ticketCount / 4) * shareOf(workspace)), 1);
}

export type Contact = { id: string; email: string; name: string };

export function contactOf(workspace: number, contact: number): Contact {
  const name = `${capital(word(contact * 7 + workspace))} ${capital(word(contact * 13 + 5))}`;
  return {
    id: idOf(startMs, kinds.contact, workspace, contact),
    email: `customer${contact}@${word(workspace)}.example`,
    name,
  };
}

export type Ticket = {
  workspace: number;
  id: string;
  contact: Contact;
  subject: string;
  status: 'open' | 'pending' | 'closed';
  priority: 'low' | 'normal' | 'high' | 'urgent';
  assignee: Person | null;
  tags: string[];
  createdMs: number;
  isArchived: boolean;
  messageCount: number;
  /** A name in the first message, such as an order, that few other tickets share. */
  reference: string;
};

export const tagWords = Array.from({ length: 40 }, (_, index) => `${word(index * 3 + 11)}-${index}`);

/** The workspace and id of a ticket, enough to request it. */
export function placeOf(world: World, ticket: number): { workspace: number; id: string } {
  return {
    workspace: isLong(ticket) ? ticket : drawWorkspace(randomOf(kinds.place, ticket)),
    id: idOf(createdMsOf(world, ticket), kinds.ticket, ticket),
  };
}

function createdMsOf({ ticketCount, spanMs }: World, ticket: number): number {
  return startMs + Math.floor((ticket / ticketCount) * spanMs);
}

/** The first ticket of each workspace has many messages. */
function isLong(ticket: number): boolean {
  return ticket < workspaceCount;
}

/** Any ticket with many messages. */
export function drawLongTicket(random: Random): number {
  return random.below(workspaceCount);
}

/**
 * Any ticket of three messages that is only read. These tickets are the even numbers; writing operations take the odd
 * numbers.
 */
export function drawReadTicket(random: Random, { ticketCount }: World): number {
  return 2 * (workspaceCount / 2 + random.below((ticketCount - workspaceCount) / 2));
}

/** Any ticket that this connection may write to. No other connection uses it, so none waits for a lock. */
export function drawWrittenTicket(random: Random, { ticketCount }: World, connection: number, of: number): number {
  const each = Math.floor((ticketCount - workspaceCount) / 2 / of);
  return workspaceCount + 1 + 2 * (connection + of * random.below(each));
}

export function referenceOf({ ticketCount }: World, ticket: number): string {
  return rareWord(ticket % (ticketCount / ticketsPerReference));
}

export function lastMessageMsOf({ createdMs, messageCount }: Pick<Ticket, 'createdMs' | 'messageCount'>): number {
  return createdMs + (messageCount - 1) * msBetweenMessages;
}

/** The place of a ticket in the lists, which sort by the newest message. */
export function listPlaceOf(world: World, ticket: number): { id: string; lastMessageMs: number } {
  const createdMs = createdMsOf(world, ticket);
  return {
    id: placeOf(world, ticket).id,
    lastMessageMs: lastMessageMsOf({ createdMs, messageCount: messageCountOf(ticket) }),
  };
}

function messageCountOf(ticket: number): number {
  return isLong(ticket) ? messagesPerLongTicket : messagesPerTicket;
}

/** The place and number of every ticket, in order of creation. */
export function* drawnTickets(world: World): Generator<{ index: number; workspace: number; number: number }> {
  const counts = Array.from({ length: workspaceCount }, () => 0);
  for (let index = 0; index < world.ticketCount; index++) {
    const { workspace } = placeOf(world, index);
    const number = (counts[workspace] ?? 0) + 1;
    counts[workspace] = number;
    yield { index, workspace, number };
  }
}

export function ticketOf(world: World, ticket: number): Ticket {
  const random = randomOf(kinds.ticket, ticket, 1);
  const place = placeOf(world, ticket);
  const { workspace } = place;
  const stand = random.fraction();
  return {
    ...place,
    contact: contactOf(workspace, random.below(contactCount(world, workspace))),
    subject: capital(words(random, 4 + random.below(5))),
    status: stand < 0.3 ? 'open' : stand < 0.4 ? 'pending' : 'closed',
    priority: random.pick(['normal', 'normal', 'normal', 'low', 'high', 'urgent'] as const),
    assignee: random.fraction() < assignedShare ? drawMember(random, workspace) : null,
    tags: [...new Set(Array.from({ length: random.below(4) }, () => random.pick(tagWords)))],
    createdMs: createdMsOf(world, ticket),
    isArchived: stand > 0.8,
    messageCount: messageCountOf(ticket),
    reference: referenceOf(world, ticket),
  };
}

export type Message = {
  id: string;
  createdMs: number;
  author: Contact | Person;
  isFromCustomer: boolean;
  body: string;
};

const msBetweenMessages = 3 * 3600 * 1000;

/** The customer asks, an agent answers, the customer thanks. */
export function messageOf(ticket: Ticket, ticketIndex: number, message: number): Message {
  const random = randomOf(kinds.message, ticketIndex, message);
  const isFromCustomer = message % 2 === 0;
  const createdMs = ticket.createdMs + message * msBetweenMessages;
  const body = bodyText(random);
  return {
    id: idOf(createdMs, kinds.message, ticketIndex, message, 1),
    createdMs,
    author: isFromCustomer ? ticket.contact : (ticket.assignee ?? personOf(ticket.workspace, 0)),
    isFromCustomer,
    body: message === 0 ? `${body}\n\n${capital(ticket.reference)}.` : body,
  };
}

export function factId(createdMs: number, ticketIndex: number, fact: number): string {
  return idOf(createdMs, kinds.fact, ticketIndex, fact);
}

export function notificationId(createdMs: number, ticketIndex: number): string {
  return idOf(createdMs, kinds.notification, ticketIndex);
}

/** Unread notifications are scattered among the read notifications. */
export function isUnread(
  { ticketCount }: World,
  { workspace }: Pick<Ticket, 'workspace'>,
  ticketIndex: number,
): boolean {
  const toldEach = (ticketCount * shareOf(workspace) * assignedShare) / membersPerWorkspace;
  return randomOf(kinds.unread, ticketIndex).fraction() < unreadEach / toldEach;
}
