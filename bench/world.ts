import { idOf, type Random, randomOf } from '../emulators/random.ts';
import { bodyText, capital, word, words } from './words.ts';

/**
 * The workspaces, people and tickets that are measured. Everything is a function of its index, so that a million tickets
 * are written in a stream and any of them can be asked for later without having been kept.
 */
export type World = { ticketCount: number; spanMs: number };

export const sizes = { small: 10_000, large: 1_000_000 } as const;
export type Size = keyof typeof sizes;

export const workspaceCount = 50;
export const membersPerWorkspace = 10;
export const messagesPerTicket = 3;
const startMs = Date.UTC(2024, 0, 1);
const spanMs = 700 * 24 * 3600 * 1000;

/** What a seed's first number stands for. */
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
  text: 10,
} as const;

export function worldOf(size: Size): World {
  return { ticketCount: sizes[size], spanMs };
}

export function workspaceId(workspace: number): string {
  return idOf(startMs, kinds.workspace, workspace);
}

/** Half of everything is in the first workspace. */
export function drawWorkspace(random: Random): number {
  return random.fraction() < 0.5 ? 0 : 1 + random.below(workspaceCount - 1);
}

/** A person is a member of one workspace: of the first the first ten, and so on. */
export type Person = { userId: string; sessionId: string; email: string; name: string };

export function personOf(workspace: number, member: number): Person {
  const index = workspace * membersPerWorkspace + member;
  return {
    userId: idOf(startMs, kinds.user, index),
    sessionId: idOf(startMs, kinds.session, index),
    email: `agent${index}@kontor.example`,
    name: `Agent ${index}`,
  };
}

/** A quarter as many contacts as tickets, in the same shares. */
export function contactCount({ ticketCount }: World, workspace: number): number {
  const share = workspace === 0 ? 0.5 : 0.5 / (workspaceCount - 1);
  return Math.max(Math.round((ticketCount / 4) * share), 1);
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
};

const tagWords = Array.from({ length: 40 }, (_, index) => `${word(index * 3 + 11)}-${index}`);

/** Where a ticket is: enough to ask for it. */
export function placeOf(world: World, ticket: number): { workspace: number; id: string } {
  const createdMs = startMs + Math.floor((ticket / world.ticketCount) * world.spanMs);
  return {
    workspace: drawWorkspace(randomOf(kinds.place, ticket)),
    id: idOf(createdMs, kinds.ticket, ticket),
  };
}

/** Every ticket's place and number, in the order in which they came. */
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
    assignee: random.fraction() < 0.7 ? personOf(workspace, random.below(membersPerWorkspace)) : null,
    tags: [...new Set(Array.from({ length: random.below(4) }, () => random.pick(tagWords)))],
    createdMs: startMs + Math.floor((ticket / world.ticketCount) * world.spanMs),
    isArchived: stand > 0.8,
  };
}

export type Message = {
  id: string;
  createdMs: number;
  author: Contact | Person;
  isFromCustomer: boolean;
  body: string;
};

/** The customer asks, an agent answers, the customer thanks. */
export function messageOf(ticket: Ticket, ticketIndex: number, message: number): Message {
  const random = randomOf(kinds.message, ticketIndex, message);
  const isFromCustomer = message % 2 === 0;
  const createdMs = ticket.createdMs + message * 3 * 3600 * 1000;
  return {
    id: idOf(createdMs, kinds.message, ticketIndex, message, 1),
    createdMs,
    author: isFromCustomer ? ticket.contact : (ticket.assignee ?? personOf(ticket.workspace, 0)),
    isFromCustomer,
    body: bodyText(random),
  };
}

export function factId(createdMs: number, ticketIndex: number, fact: number): string {
  return idOf(createdMs, kinds.fact, ticketIndex, fact);
}

export function notificationId(createdMs: number, ticketIndex: number): string {
  return idOf(createdMs, kinds.notification, ticketIndex);
}

/** The n-th text of those that writing operations send. */
export function sentText(index: number): { subject: string; body: string } {
  const random = randomOf(kinds.text, index);
  return { subject: capital(words(random, 6)), body: bodyText(random) };
}
