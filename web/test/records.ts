import type { components } from '../src/api/schema.d.ts';
import type { AnswerOf } from './fake-api.ts';

/** What the records of a test are like. Tests name only what they are about. */

type Schemas = components['schemas'];
export type Ticket = Schemas['TicketWithMessages'];
export type Message = Schemas['Message'];
type Member = Schemas['Member'];
type Mailbox = Schemas['Mailbox'];
type Team = AnswerOf<'listTeams'>[number];

/** An id for tests, the same for the same name. */
export function idOf(name: string): string {
  let sum = 0;
  for (const sign of name) sum = (sum * 31 + sign.charCodeAt(0)) % 0xffffffffffff;
  return `00000000-0000-4000-8000-${sum.toString(16).padStart(12, '0')}`;
}

const workspaceId = idOf('desk');
export const time = '2026-03-02T10:00:00.000Z';

export const ada: Member = {
  ...{ userId: idOf('ada'), email: 'ada@desk.example', name: 'Ada', role: 'owner', access: 'all', createdAt: time },
  ...{ lastSeenAt: time, hasSecondFactor: false },
};
const ann = { contactId: idOf('ann'), email: 'ann@example.org', name: 'Ann Example' };

/** The person who asks, as a contact. */
export const contact = {
  ...{ id: ann.contactId, email: ann.email, name: ann.name, emails: [ann.email], showsRemoteImages: false },
  ...{ createdAt: time, erasedAt: null },
};

export function messageOf(fields: Partial<Message> = {}): Message {
  const id = fields.id ?? idOf(fields.body ?? 'm');
  return {
    ...{ id, ticketId: idOf('t1'), direction: 'inbound', subject: null, body: 'It hums.', bodyHtml: null },
    ...{ replyText: null, newHtml: null, quotedHtml: null, isInternal: false, to: [], cc: [], bcc: [], replyTo: [] },
    author: { type: 'customer', userId: null, name: ann.name, email: ann.email },
    ...{ envelopeFrom: ann.email, authentication: null, isSenderKnown: true, forwardOf: null, forwardedBy: null },
    ...{ matchedBy: null, fromAddress: null, remoteImages: [], showsRemoteImages: false, attachments: [] },
    ...{ delivery: null, automaticKind: null, redacted: null },
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

/** The delivery of an answer that waits for its undo time. */
export function queued(): NonNullable<Message['delivery']> {
  return {
    ...{ status: 'queued', error: null, sentAt: null, isFile: false, attempts: 0 },
    nextAttemptAt: new Date(Date.now() + 60_000).toISOString(),
    ...{ handledAt: null, bounceKind: null, enhancedStatusCode: null },
  };
}

export function ticketOf(fields: Partial<Ticket> = {}): Ticket {
  const number = fields.ticketNumber ?? 1;
  const id = fields.id ?? idOf(`t${number}`);
  const messages = fields.messages ?? [messageOf({ id: idOf(`m${number}`), ticketId: id })];
  return {
    ...{ id, ticketNumber: number, subject: 'The printer hums', status: 'open', priority: 'normal', tags: [] },
    ...{
      assigneeId: null,
      teamId: null,
      requester: ann,
      channel: 'email',
      mailboxId: null,
      archivedAt: null,
      trashedAt: null,
    },
    ...{ spamAt: null, spamReason: null, snoozedUntil: null, mergedIntoId: null, messageCount: messages.length },
    lastMessage: { id: idOf(`m${number}`), direction: 'inbound', authorName: ann.name, snippet: 'It hums.' },
    ...{ lastMessageAt: time, attachmentCount: 0, deliveryProblem: null, waitingSince: time, createdAt: time },
    ...{ updatedAt: time, version: 1, unread: false, hasDraft: false, earlierCursor: null, drafts: [] },
    ...{ replyDefaults: { to: [ann.email], cc: [] }, replyOffers: [] },
    ...fields,
    messages,
  };
}

export function mailboxOf(fields: Partial<Mailbox> = {}): Mailbox {
  return {
    ...{ id: idOf('help'), provider: 'mail-b', address: 'help@office.example', delegateAddress: null, aliases: [] },
    ...{ sendAs: [], senders: [fields.address ?? 'help@office.example'] },
    ...{ name: null, status: 'active', statusReason: null, statusReasonKey: null, statusChangedAt: time },
    ...{ sendStatus: 'active', sendStatusReason: null, sendStatusReasonKey: null, sendStatusChangedAt: time },
    ...{
      defaultAssigneeId: null,
      defaultTags: [],
      teamId: null,
      whenAnswered: null,
      signature: null,
      connectedAt: time,
    },
    ...{ lastSyncedAt: time, unreachableSince: null, stuckMails: 0, history: null, watches: [] },
    ...{ createdAt: time, updatedAt: time },
    ...fields,
  };
}

export function teamOf(fields: Partial<Team> = {}): Team {
  return {
    ...{ id: idOf(fields.name ?? 'Billing'), name: 'Billing', visibility: 'workspace', position: 0, memberCount: 1 },
    ...{ isMember: true, archivedAt: null, createdAt: time },
    ...fields,
  };
}

const none = { count: 0, isAtLeast: false };
export const counts: AnswerOf<'readCounts'> = {
  position: '',
  lists: {
    ...{ mine: none, unassigned: none, open: none, pending: none, snoozed: none, closed: none, mentions: none },
    ...{ undelivered: none, scheduled: none, drafts: none, unread: none },
  },
  views: [],
  mailboxes: [],
  teams: [],
};
const workspace: Schemas['Workspace'] = { id: workspaceId, name: 'Desk', role: 'owner' };
export const settings: Schemas['WorkspaceWithSettings'] = {
  ...workspace,
  ...{ requireSecondFactor: false, hasAnswered: true, ownAddresses: [], whenAnswered: null, tagColours: [] },
};
export const preferences: AnswerOf<'readPreferences'> = {
  ...{ theme: 'light', darkMail: false, density: 'comfortable', locale: 'en', timeZone: 'UTC', afterAction: 'next' },
  // An answer can be undone for longer than a step of a test may take.
  ...{ undoSendSeconds: 60, singleKeys: true, keys: [], remoteImages: 'ask', signatures: [] },
};
export const me: AnswerOf<'readMe'> = {
  user: { id: ada.userId, email: ada.email, name: ada.name, emailVerifiedAt: time, createdAt: time },
  workspaces: [workspace],
};
export const config: AnswerOf<'readConfig'> = {
  ...{ version: '0', isFirstRun: false, registration: 'open', isEmailVerificationRequired: false },
  ...{ passwordMinScore: null, attachmentBytesMax: 25_000_000, importBytesMax: 1_000_000_000, mail: 'smtp' },
  ...{ identityProviders: [], mailboxProviders: [], demo: null },
};
export const start: AnswerOf<'readStart'> = {
  ...me,
  ...{ position: '', workspace: settings, permissions: [], preferences, unreadNotifications: 0 },
  ...{ members: [ada], views: [], mailboxes: [], teams: [], tags: [], counts },
};

/** A ticket as lists and events have it. */
export function rowOf({ messages, drafts, replyDefaults, replyOffers, earlierCursor, ...row }: Ticket) {
  return row;
}
