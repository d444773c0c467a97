import type { FastifyReply } from 'fastify';
import { noteOwnersLook } from '../../access/teams/owners-look.ts';
import type { App } from '../../app.ts';
import { listTimeline } from '../../events/activity/timeline.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { together } from '../../ground/database/db.ts';
import { etagOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import type { DroppedDraft } from '../messages/keep-draft.ts';
import { readOwnAddress } from '../messages/own-address.ts';
import { presentMessage } from '../messages/present.ts';
import { tellOfDraft } from '../messages/tell-of-draft.ts';
import { answerChange, answerWith } from './answer-change.ts';
import { draftRoutes } from './draft-routes.ts';
import { followerRoutes } from './follower-routes.ts';
import { messageRoutes, replyErrors } from './message-routes.ts';
import { findTicketIdByNumber, findTicketWithMessages, hasTicket } from './queries.ts';
import { findReplyRecipients, replyRecipientsOf } from './reply-defaults.ts';
import {
  applyReplyBody,
  changedTicketSchema,
  changeStatusBody,
  createTicketBody,
  eventsPage,
  eventsQuery,
  type ReadTicketQuery,
  readTicketQuery,
  ticketNumberParams,
  ticketParams,
  ticketSchema,
  ticketWithMessagesSchema,
  updateTicketBody,
} from './schema.ts';
import { seenRoutes } from './seen-routes.ts';
import { attachmentRoutes } from './uploads/attachment-routes.ts';
import { applyReply, createWithReply } from './with-reply/with-reply.ts';

const workspace = inWorkspace('tickets');
const writeOne = {
  can: 'ticket.write',
  errors: ['ticket.not_found', 'ticket.version_mismatch', 'ticket.merged', 'ticket.spam'],
} as const;

export function ticketRoutes(server: Server, app: App): void {
  createRoute(server, app);
  readRoutes(server, app);
  timelineRoute(server, app);
  fieldRoutes(server);
  messageRoutes(server, app);
  attachmentRoutes(server, app);
  stateRoutes(server);
  applyRoute(server);
  draftRoutes(server, app);
  followerRoutes(server, app);
  seenRoutes(server, app);
}

function createRoute(server: Server, { db, live }: App): void {
  workspace.post(server, '/tickets', {
    id: 'createTicket',
    summary: 'Create a ticket with its first message',
    can: 'ticket.write',
    errors: [
      'draft.newer',
      'draft.not_found',
      'mailbox.none_sends',
      ...replyErrors,
      'message.too_many_scheduled',
      'workspace.recipient_limit',
      'workspace.storage_full',
    ],
    body: createTicketBody,
    answers: { 201: ticketSchema },
    handler: async (request, reply) => {
      const left: DroppedDraft[] = [];
      await answerInTx(db, request, reply, async (tx, actor) => {
        const { ticket, dropped } = await createWithReply(tx, actor, request.body);
        if (dropped !== undefined) left.push(dropped);
        return { status: 201, body: ticket, etag: ticket.version };
      });
      for (const draft of left) tellOfDraft(live, request.actor, draft);
    },
  });
}

function readRoutes(server: Server, { db, access, fileUrls }: App): void {
  const answerTicket = async (reply: FastifyReply, actor: Actor, ticketId: TicketId, query: ReadTicketQuery) => {
    const which = { newest: query.messages, trash: query.trash };
    const { workspaceId } = actor;
    const [ticket, own] = await together([
      findTicketWithMessages(db, actor, ticketId, which),
      access.know(`own addresses ${workspaceId}`, () => readOwnAddress(db, workspaceId)),
    ]);
    if (ticket === undefined) throw new AppError('ticket.not_found');
    if (ticket.isFromOutside) await db.tx((tx) => noteOwnersLook(tx, actor, ticket));
    reply.header('etag', etagOf(ticket.version));
    const messages = ticket.messages.map((message) => presentMessage(fileUrls, actor, message));
    // The recipients of a reply may depend on messages earlier than this page.
    const recipients =
      ticket.earlierCursor === null
        ? replyRecipientsOf(ticket, own)
        : await findReplyRecipients(db, actor, { ticketId, own });
    return { ...ticket, messages, ...recipients };
  };

  workspace.get(server, '/tickets/:ticketId', {
    id: 'readTicket',
    summary: 'Read a ticket with its messages',
    can: 'ticket.read',
    errors: ['ticket.not_found'],
    isLarge: true,
    params: ticketParams,
    query: readTicketQuery,
    answers: { 200: ticketWithMessagesSchema },
    handler: ({ actor, params, query }, reply) => answerTicket(reply, actor, params.ticketId, query),
  });

  workspace.get(server, '/tickets/number/:ticketNumber', {
    id: 'readTicketByNumber',
    summary: 'Read a ticket with its messages, by its number',
    can: 'ticket.read',
    errors: ['ticket.not_found'],
    params: ticketNumberParams,
    query: readTicketQuery,
    answers: { 200: ticketWithMessagesSchema },
    handler: async ({ actor, params, query }, reply) => {
      const ticketId = await findTicketIdByNumber(db, actor, Number(params.ticketNumber));
      if (ticketId === undefined) throw new AppError('ticket.not_found');
      return answerTicket(reply, actor, ticketId, query);
    },
  });
}

function timelineRoute(server: Server, { db }: App): void {
  workspace.get(server, '/tickets/:ticketId/events', {
    id: 'listTicketEvents',
    summary: 'List who did what to a ticket, and when',
    can: 'ticket.read',
    errors: ['ticket.not_found'],
    params: ticketParams,
    query: eventsQuery,
    answers: { 200: eventsPage },
    handler: async ({ actor, params, query }) => {
      const { ticketId } = params;
      const { limit = 50, cursor, trash } = query;
      if (!(await hasTicket(db, actor, ticketId, { trash }))) throw new AppError('ticket.not_found');
      return listTimeline(db, actor, { ticketId, limit, ...(cursor !== undefined && { cursor }) });
    },
  });
}

function fieldRoutes(server: Server): void {
  workspace.patch(server, '/tickets/:ticketId', {
    id: 'updateTicket',
    summary: 'Change fields of a ticket',
    ...writeOne,
    errors: [...writeOne.errors, 'ticket.assignee_outside_team'],
    params: ticketParams,
    body: updateTicketBody,
    answers: { 200: changedTicketSchema },
    inTx: (tx, request) => answerChange(tx, request, request.body),
  });
}

const archiving = [
  { verb: 'archive', id: 'archiveTicket', summary: 'Hide a ticket from the inbox', archive: true },
  { verb: 'unarchive', id: 'unarchiveTicket', summary: 'Bring an archived ticket back', archive: false },
];

function stateRoutes(server: Server): void {
  workspace.post(server, '/tickets/:ticketId/status', {
    id: 'changeTicketStatus',
    summary: 'Close, reopen or park a ticket',
    ...writeOne,
    params: ticketParams,
    body: changeStatusBody,
    answers: { 200: ticketSchema },
    inTx: (tx, request) => {
      const { toStatus, ...why } = request.body;
      return answerChange(tx, request, { status: toStatus, ...why });
    },
  });

  for (const { verb, archive, ...text } of archiving) {
    workspace.post(server, `/tickets/:ticketId/${verb}`, {
      ...text,
      ...writeOne,
      params: ticketParams,
      answers: { 200: ticketSchema },
      inTx: (tx, request) => answerChange(tx, request, { archive }),
    });
  }
}

function applyRoute(server: Server): void {
  workspace.post(server, '/tickets/:ticketId/apply', {
    id: 'applySavedReply',
    summary: 'Run the actions of a saved reply without a message',
    can: 'ticket.write',
    errors: [
      'ticket.not_found',
      'ticket.merged',
      'ticket.spam',
      'saved_reply.not_found',
      'saved_reply.actions_not_allowed',
      'ticket.assignee_outside_team',
    ],
    params: ticketParams,
    body: applyReplyBody,
    answers: { 200: changedTicketSchema },
    inTx: async (tx, { actor, params, body }) => {
      const ticket = await applyReply(tx, actor, { ...body, ticketId: params.ticketId });
      return answerWith(tx, actor, ticket);
    },
  });
}
