import type { components } from '../src/api/schema.d.ts';
import type { AnswerOf, Answers } from './fake-api.ts';

/** A workspace with one member, Ada, and the tickets of a test. Tests name only what they are about. */

type Schemas = components['schemas'];
export type Ticket = Schemas['TicketWithMessages'];
export type Message = Schemas['Message'];
type Member = Schemas['Member'];

/** An id for tests, the same for the same name. */
export function idOf(name: string): string {
  let sum = 0;
  for (const sign of name) sum = (sum * 31 + sign.charCodeAt(0)) % 0xffffffffffff;
  return `00000000-0000-4000-8000-${sum.toString(16).padStart(12, '0')}`;
}

export const workspaceId = idOf('desk');
const time = '2026-03-02T10:00:00.000Z';

export const ada: Member = {
  ...{ userId: idOf('ada'), email: 'ada@desk.example', name: 'Ada', role: 'owner', createdAt: time },
  ...{ lastSeenAt: time, hasSecondFactor: false },
};
const ann = { contactId: idOf('ann'), email: 'ann@example.org', name: 'Ann Example' };

export function messageOf(fields: Partial<Message> = {}): Message {
  const id = fields.id ?? idOf(fields.body ?? 'm');
  return {
    ...{ id, ticketId: idOf('t1'), direction: 'inbound', subject: null, body: 'It hums.', bodyHtml: null },
    ...{ replyText: null, newHtml: null, quotedHtml: null, isInternal: false, to: [], cc: [], bcc: [], replyTo: [] },
    author: { type: 'customer', userId: null, name: ann.name, email: ann.email },
    ...{ envelopeFrom: ann.email, authentication: null, isSenderKnown: true, forwardOf: null, remoteImages: [] },
    ...{ showsRemoteImages: false, attachments: [], delivery: null, automaticKind: null, redacted: null },
    ...{ truncated: [], createdAt: time, sentAt: null },
    ...fields,
  };
}

/** What Ada has written. */
export function answerOf(fields: Partial<Message> = {}): Message {
  return messageOf({
    direction: fields.isInternal === true ? 'internal' : 'outbound',
    author: { type: 'agent', userId: ada.userId, name: ada.name, email: ada.email },
    to: [ann.email],
    ...fields,
  });
}

export function ticketOf(fields: Partial<Ticket> = {}): Ticket {
  const number = fields.ticketNumber ?? 1;
  const id = fields.id ?? idOf(`t${number}`);
  const messages = fields.messages ?? [messageOf({ id: idOf(`m${number}`), ticketId: id })];
  return {
    ...{ id, ticketNumber: number, subject: 'The printer hums', status: 'open', priority: 'normal', tags: [] },
    ...{ assigneeId: null, requester: ann, channel: 'email', mailboxId: null, archivedAt: null, trashedAt: null },
    ...{ spamAt: null, spamReason: null, snoozedUntil: null, mergedIntoId: null, messageCount: messages.length },
    lastMessage: { id: idOf(`m${number}`), direction: 'inbound', authorName: ann.name, snippet: 'It hums.' },
    ...{ lastMessageAt: time, attachmentCount: 0, deliveryProblem: null, waitingSince: time, createdAt: time },
    ...{ updatedAt: time, version: 1, unread: false, hasDraft: false, earlierCursor: null, drafts: [] },
    ...{ replyDefaults: { to: [ann.email], cc: [] }, replyOffers: [] },
    ...fields,
    messages,
  };
}

const none = { count: 0, isAtLeast: false };
const counts: AnswerOf<'readCounts'> = {
  position: '',
  lists: {
    ...{ mine: none, unassigned: none, open: none, pending: none, snoozed: none, closed: none, mentions: none },
    ...{ undelivered: none, drafts: none, unread: none },
  },
  views: [],
  mailboxes: [],
};
const workspace: Schemas['Workspace'] = { id: workspaceId, name: 'Desk', role: 'owner' };
const settings: Schemas['WorkspaceWithSettings'] = {
  ...workspace,
  ...{ requireSecondFactor: false, hasAnswered: true, ownAddresses: [], whenAnswered: null, tagColours: [] },
};
const preferences: AnswerOf<'readPreferences'> = {
  ...{ theme: 'light', darkMail: false, density: 'comfortable', locale: 'en', timeZone: 'UTC', afterAction: 'next' },
  // An answer can be undone for longer than a step of a test may take.
  ...{ undoSendSeconds: 60, singleKeys: true, keys: [], remoteImages: 'ask', signatures: [] },
};
const me: AnswerOf<'readMe'> = {
  user: { id: ada.userId, email: ada.email, name: ada.name, emailVerifiedAt: time, createdAt: time },
  workspaces: [workspace],
};
const config: AnswerOf<'readConfig'> = {
  ...{ version: '0', isFirstRun: false, registration: 'open', isEmailVerificationRequired: false },
  ...{ passwordMinScore: null, attachmentBytesMax: 25_000_000, importBytesMax: 1_000_000_000, mail: 'smtp' },
  ...{ identityProviders: [], mailboxProviders: [], demo: null },
};
const start: AnswerOf<'readStart'> = {
  ...me,
  ...{ position: '', workspace: settings, permissions: [], preferences, unreadNotifications: 0 },
  ...{ members: [ada], views: [], mailboxes: [], tags: [], counts },
};

/** A ticket as lists and events have it. */
export function rowOf({ messages, drafts, replyDefaults, replyOffers, earlierCursor, ...row }: Ticket) {
  return row;
}

/** What pages read at any time. Tests add what they change, and replace what they are about. */
export function workspaceWith(...tickets: Ticket[]): Answers {
  const rows = tickets.map(rowOf);
  return {
    readMe: () => me,
    readConfig: () => config,
    readStart: () => start,
    readPreferences: () => preferences,
    readWorkspace: () => settings,
    readCounts: () => counts,
    countUnreadNotifications: () => ({ count: 0 }),
    listMembers: () => [ada],
    listMailboxes: () => [],
    listPresence: () => ({ tickets: [] }),
    putPresence: () => ({ people: [] }),
    listTickets: () => rows,
    readTicketByNumber: ({ path }) => found(tickets, path.ticketNumber),
    listTicketEvents: () => ({ items: [] }),
    listFollowers: () => [],
    markTicketSeen: ({ path: { ticketId } }) => ({ ticketId, unread: false }),
    listDrafts: () => ({ items: [] }),
    readContact: ({ path: { contactId: id } }) => ({
      ...{ id, email: ann.email, name: ann.name, emails: [ann.email], showsRemoteImages: false },
      ...{ createdAt: time, erasedAt: null, tickets: rows.filter(({ requester }) => requester?.contactId === id) },
    }),
  };
}

function found(tickets: readonly Ticket[], number: string): Ticket {
  const ticket = tickets.find(({ ticketNumber }) => String(ticketNumber) === number);
  if (ticket === undefined) throw new Error(`the test has no ticket #${number}`);
  return ticket;
}
