import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { listTimeline } from '../../events/activity/timeline.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { actorOf, etagOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import type { DroppedDraft } from '../messages/keep-draft.ts';
import { presentMessage } from '../messages/present.ts';
import { tellOfDraft } from '../messages/tell-of-draft.ts';
import { answerChange } from './answer-change.ts';
import { draftRoutes } from './draft-routes.ts';
import { followerRoutes } from './follower-routes.ts';
import { messageRoutes, replyErrors } from './message-routes.ts';
import { findTicketIdByNumber, findTicketWithMessages, hasTicket } from './queries.ts';
import { findReplyRecipients, replyRecipientsOf } from './reply-defaults.ts';
import {
  applyReplyBody,
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

const tickets = '/v1/workspaces/:workspaceId/tickets';
const tags = ['tickets'];
const read = { can: 'ticket.read' } as const;
const write = { can: 'ticket.write' } as const;
const writeOne = {
  ...write,
  errors: ['ticket.not_found', 'ticket.version_mismatch', 'ticket.merged', 'ticket.spam'],
} as const;

export function ticketRoutes(server: Server, app: App): void {
  createRoute(server, app);
  readRoutes(server, app);
  timelineRoute(server, app);
  fieldRoutes(server, app);
  messageRoutes(server, app);
  attachmentRoutes(server, app);
  stateRoutes(server, app);
  applyRoute(server, app);
  draftRoutes(server, app);
  followerRoutes(server, app);
  seenRoutes(server, app);
}

function createRoute(server: Server, { db, live }: App): void {
  server.post(
    tickets,
    {
      config: {
        ...write,
        errors: [
          'draft.not_found',
          'mailbox.none_sends',
          ...replyErrors,
          'workspace.recipient_limit',
          'workspace.storage_full',
        ],
      },
      schema: {
        operationId: 'createTicket',
        summary: 'Create a ticket with its first message',
        tags,
        params: workspaceParams,
        body: createTicketBody,
        response: { 201: ticketSchema },
      },
    },
    async (request, reply) => {
      const left: DroppedDraft[] = [];
      await answerInTx(db, request, reply, async (tx, actor) => {
        const { ticket, dropped } = await createWithReply(tx, actor, request.body);
        if (dropped !== undefined) left.push(dropped);
        return { status: 201, body: ticket, etag: ticket.version };
      });
      for (const draft of left) tellOfDraft(live, actorOf(request), draft);
    },
  );
}

function readRoutes(server: Server, { db, fileUrls, config }: App): void {
  const answerTicket = async (reply: FastifyReply, actor: Actor, ticketId: TicketId, query: ReadTicketQuery) => {
    const which = { newest: query.messages, trash: query.trash };
    const ticket = await findTicketWithMessages(db, actor, ticketId, which);
    if (ticket === undefined) throw new AppError('ticket.not_found');
    reply.header('etag', etagOf(ticket.version));
    const own = { ...ticket.own, mailFrom: config.mailFrom.email };
    const messages = ticket.messages.map((message) => presentMessage(fileUrls, actor, message));
    // The recipients of a reply may depend on messages earlier than this page.
    const recipients =
      ticket.earlierCursor === null
        ? replyRecipientsOf(ticket, own)
        : await findReplyRecipients(db, actor, { ticketId, own });
    return { ...ticket, messages, ...recipients };
  };

  server.get(
    `${tickets}/:ticketId`,
    {
      config: { ...read, errors: ['ticket.not_found'], isLarge: true },
      schema: {
        operationId: 'readTicket',
        summary: 'Read a ticket with its messages',
        tags,
        params: ticketParams,
        querystring: readTicketQuery,
        response: { 200: ticketWithMessagesSchema },
      },
    },
    (request, reply) => answerTicket(reply, actorOf(request), request.params.ticketId, request.query),
  );

  server.get(
    `${tickets}/number/:ticketNumber`,
    {
      config: { ...read, errors: ['ticket.not_found'] },
      schema: {
        operationId: 'readTicketByNumber',
        summary: 'Read a ticket with its messages, by its number',
        tags,
        params: ticketNumberParams,
        querystring: readTicketQuery,
        response: { 200: ticketWithMessagesSchema },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const ticketId = await findTicketIdByNumber(db, actor, Number(request.params.ticketNumber));
      if (ticketId === undefined) throw new AppError('ticket.not_found');
      return answerTicket(reply, actor, ticketId, request.query);
    },
  );
}

function timelineRoute(server: Server, { db }: App): void {
  server.get(
    `${tickets}/:ticketId/events`,
    {
      config: { ...read, errors: ['ticket.not_found'] },
      schema: {
        operationId: 'listTicketEvents',
        summary: 'List who did what to a ticket, and when',
        tags,
        params: ticketParams,
        querystring: eventsQuery,
        response: { 200: eventsPage },
      },
    },
    async (request) => {
      const actor = actorOf(request);
      const { ticketId } = request.params;
      const { limit = 50, cursor, trash } = request.query;
      if (!(await hasTicket(db, actor, ticketId, { trash }))) throw new AppError('ticket.not_found');
      return listTimeline(db, actor, { ticketId, limit, ...(cursor !== undefined && { cursor }) });
    },
  );
}

function fieldRoutes(server: Server, { db }: App): void {
  server.patch(
    `${tickets}/:ticketId`,
    {
      config: writeOne,
      schema: {
        operationId: 'updateTicket',
        summary: 'Change fields of a ticket',
        tags,
        params: ticketParams,
        body: updateTicketBody,
        response: { 200: ticketSchema },
      },
    },
    (request, reply) => answerChange(db, request, reply, request.body),
  );
}

const archiving = [
  { verb: 'archive', operationId: 'archiveTicket', summary: 'Hide a ticket from the inbox', archive: true },
  { verb: 'unarchive', operationId: 'unarchiveTicket', summary: 'Bring an archived ticket back', archive: false },
];

function stateRoutes(server: Server, { db }: App): void {
  server.post(
    `${tickets}/:ticketId/status`,
    {
      config: writeOne,
      schema: {
        operationId: 'changeTicketStatus',
        summary: 'Close, reopen or park a ticket',
        tags,
        params: ticketParams,
        body: changeStatusBody,
        response: { 200: ticketSchema },
      },
    },
    (request, reply) => {
      const { toStatus, ...why } = request.body;
      return answerChange(db, request, reply, { status: toStatus, ...why });
    },
  );

  for (const { verb, archive, ...text } of archiving) {
    server.post(
      `${tickets}/:ticketId/${verb}`,
      {
        config: writeOne,
        schema: {
          ...text,
          tags,
          params: ticketParams,
          response: { 200: ticketSchema },
        },
      },
      (request, reply) => answerChange(db, request, reply, { archive }),
    );
  }
}

function applyRoute(server: Server, { db }: App): void {
  server.post(
    `${tickets}/:ticketId/apply`,
    {
      config: {
        ...write,
        errors: [
          'ticket.not_found',
          'ticket.merged',
          'ticket.spam',
          'saved_reply.not_found',
          'saved_reply.actions_not_allowed',
        ],
      },
      schema: {
        operationId: 'applySavedReply',
        summary: 'Run the actions of a saved reply without a message',
        tags,
        params: ticketParams,
        body: applyReplyBody,
        response: { 200: ticketSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const ticket = await applyReply(tx, actor, { ...request.body, ticketId: request.params.ticketId });
        return { status: 200, body: ticket, etag: ticket.version };
      }),
  );
}
