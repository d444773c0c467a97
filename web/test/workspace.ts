import { belongs } from '../src/tickets/filters.ts';
import { type ListParameters, readQuery, standardLists } from '../src/tickets/lists.ts';
import { changedFields, type FieldChange } from '../src/tickets/ticket-change.ts';
import type { AnswerOf, Answers, Asked } from './fake-api.ts';
import {
  ada,
  answerOf,
  config,
  contact,
  counts,
  idOf,
  type Message,
  me,
  preferences,
  queued,
  rowOf,
  settings,
  start,
  type Ticket,
  time,
} from './records.ts';

type Draft = AnswerOf<'putAnswerDraft'>;

/** Counts over all tests: the page remembers the messages that it has sent. */
let sent = 0;

/** What the fake service knows of a ticket, and changes as the page asks for it. */
class Tickets {
  readonly all: Map<string, Ticket>;
  readonly drafts = new Map<string, Draft>();

  constructor(tickets: readonly Ticket[]) {
    this.all = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  }

  find(id: string): Ticket {
    const ticket = this.all.get(id);
    if (ticket === undefined) throw new Error(`the test has no ticket ${id}`);
    return ticket;
  }

  listed(list: ListParameters) {
    const looker = { userId: ada.userId, teamIds: [], now: new Date() };
    return [...this.all.values()].map(rowOf).filter((row) => belongs(list, row, looker));
  }

  counts(): AnswerOf<'readCounts'> {
    const counted = standardLists.flatMap(({ counted, parameters }) =>
      counted === undefined || counted === 'mentions'
        ? []
        : [[counted, { count: this.listed(parameters).length, isAtLeast: false }] as const],
    );
    return { ...counts, lists: { ...counts.lists, ...Object.fromEntries(counted) } };
  }

  /** @returns the row of the changed ticket */
  set(id: string, fields: Partial<Ticket>) {
    const ticket = this.find(id);
    this.all.set(id, { ...ticket, ...fields, version: ticket.version + 1 });
    return rowOf(this.find(id));
  }

  change(id: string, fields: FieldChange) {
    return this.set(id, changedFields(this.find(id), { kind: 'fields', fields }, new Date()));
  }

  add(ticketId: string, { body = ' ', isInternal = false, thenStatus }: Asked<'appendMessage'>['body']): Message {
    const { messages } = this.find(ticketId);
    const id = idOf(`message ${++sent}`);
    const message = answerOf({ id, ticketId, body, isInternal, delivery: isInternal ? null : queued() });
    this.set(ticketId, { messages: [...messages, message], ...(thenStatus !== undefined && { status: thenStatus }) });
    this.drafts.delete(`${ticketId} ${isInternal ? 'note' : 'answer'}`);
    return message;
  }

  cancel(ticketId: string, messageId: string): Message {
    const { messages } = this.find(ticketId);
    const cancelled = (message: Message): Message =>
      message.id === messageId && message.delivery !== null
        ? { ...message, delivery: { ...message.delivery, status: 'cancelled' } }
        : message;
    this.set(ticketId, { status: 'open', messages: messages.map(cancelled) });
    return this.find(ticketId).messages.find(({ id }) => id === messageId) as Message; // the page has just sent it
  }

  putDraft(key: string, fields: Partial<Draft>): Draft {
    const draft: Draft = {
      ...{ id: idOf(key), ticketId: null, ticket: null, kind: 'ticket', subject: '', body: '', bodyHtml: null },
      ...{ to: [], cc: [], bcc: [], mailboxId: null, fromAddress: null, lastSeenMessageId: null },
      ...{ quote: null, forwardOf: null },
      ...{ savedReplyId: null, runActions: false, startsAs: null, attachments: [], createdAt: time, updatedAt: time },
      ...fields,
      version: (this.drafts.get(key)?.version ?? 0) + 1,
    };
    this.drafts.set(key, draft);
    return draft;
  }

  putDraftOn(kind: 'answer' | 'note', ticketId: string, body: Asked<'putAnswerDraft'>['body']): Draft {
    const { ticketNumber, subject } = this.find(ticketId);
    return this.putDraft(`${ticketId} ${kind}`, { ...body, ticketId, ticket: { ticketNumber, subject }, kind });
  }
}

/**
 * The answers of a workspace with one member, Ada, and these tickets. It keeps what the page changes. Tests add what
 * else their page asks for, and replace what they are about.
 */
export function workspaceWith(...tickets: Ticket[]): Answers {
  const here = new Tickets(tickets);
  return {
    ...person,
    ...reading(here),
    ...changing(here),
    ...writing(here),
  };
}

const person: Answers = {
  readMe: () => me,
  readConfig: () => config,
  readPreferences: () => preferences,
  readWorkspace: () => settings,
  countUnreadNotifications: () => ({ count: 0 }),
  listMembers: () => [ada],
  listContacts: () => [],
  listMailboxes: () => [],
  listTeams: () => [],
  listViews: () => [],
  listTags: () => [],
  listSavedReplies: () => ({ items: [] }),
  listNotifications: () => ({ items: [] }),
  listPresence: () => ({ tickets: [] }),
  putPresence: () => ({ people: [] }),
};

function reading(here: Tickets): Answers {
  return {
    readStart: () => ({ ...start, counts: here.counts() }),
    readCounts: () => here.counts(),
    listTickets: ({ query }) => here.listed(readQuery(query)).reverse(),
    readTicketByNumber: ({ path: { ticketNumber } }) => {
      const ticket = [...here.all.values()].find((one) => String(one.ticketNumber) === ticketNumber);
      if (ticket === undefined) throw new Error(`the test has no ticket #${ticketNumber}`);
      return ticket;
    },
    readTicket: ({ path }) => here.find(path.ticketId),
    listMessages: ({ path }) => ({
      messages: here.find(path.ticketId).messages.map((message) => ({ ...message, snippet: '' })),
      earlierCursor: null,
    }),
    listTicketEvents: () => ({ items: [] }),
    listFollowers: () => [],
    readContact: ({ path: { contactId } }) => ({
      ...contact,
      tickets: [...here.all.values()].filter(({ requester }) => requester?.contactId === contactId).map(rowOf),
    }),
    markTicketSeen: ({ path: { ticketId } }) => ({ ticketId, unread: false }),
    markTicketUnseen: ({ path: { ticketId } }) => ({ ticketId, unread: true }),
  };
}

function changing(here: Tickets): Answers {
  return {
    updateTicket: ({ path, body: { requester: _, ...fields } }) => here.set(path.ticketId, fields),
    changeTicketStatus: ({ path, body }) => here.change(path.ticketId, { status: body.toStatus }),
    archiveTicket: ({ path }) => here.change(path.ticketId, { archive: true }),
    unarchiveTicket: ({ path }) => here.change(path.ticketId, { archive: false }),
    changeTickets: ({ body: { ids = [], query: _, ...fields } }) => ({
      results: ids.map((id) => ({ id, status: 200, version: here.change(id, fields as FieldChange).version })),
    }),
    addFollower: () => ada,
  };
}

function writing(here: Tickets): Answers {
  return {
    listDrafts: ({ query: { ticketId } }) => ({
      items: [...here.drafts.values()].filter((draft) => ticketId === undefined || draft.ticketId === ticketId),
    }),
    createDraft: ({ body }) => here.putDraft('new', body),
    putDraft: ({ body }) => here.putDraft('new', body),
    deleteDraft: () => void here.drafts.delete('new'),
    putAnswerDraft: ({ path, body }) => here.putDraftOn('answer', path.ticketId, body),
    putNoteDraft: ({ path, body }) => here.putDraftOn('note', path.ticketId, body),
    deleteAnswerDraft: ({ path }) => void here.drafts.delete(`${path.ticketId} answer`),
    deleteNoteDraft: ({ path }) => void here.drafts.delete(`${path.ticketId} note`),
    appendMessage: ({ path, body }) => here.add(path.ticketId, body),
    cancelMessage: ({ path }) => here.cancel(path.ticketId, path.messageId),
  };
}
