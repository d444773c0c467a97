import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { DroppedDraft } from '../messages/keep-draft.ts';
import { presentMessage } from '../messages/present.ts';
import { listNewestMessages } from '../messages/queries.ts';
import {
  appendedMessageSchema,
  appendMessageBody,
  listMessagesQuery,
  type Message,
  messagePageSchema,
} from '../messages/schema.ts';
import { tellOfDraft } from '../messages/tell-of-draft.ts';
import { hasTicket } from './queries.ts';
import { ticketParams } from './schema.ts';
import { appendWithReply } from './with-reply/with-reply.ts';

const messages = '/v1/workspaces/:workspaceId/tickets/:ticketId/messages';
const tags = ['tickets'];
/** The errors of a message that comes from a saved reply. */
export const replyErrors = [
  'saved_reply.not_found',
  'saved_reply.variable_missing',
  'saved_reply.actions_not_allowed',
] as const;
const write = { can: 'ticket.write' } as const;

export function messageRoutes(server: Server, app: App): void {
  listRoute(server, app);
  appendRoute(server, app);
}

function listRoute(server: Server, { db, fileUrls }: App): void {
  server.get(
    messages,
    {
      config: { can: 'ticket.read', errors: ['ticket.not_found'], isLarge: true },
      schema: {
        operationId: 'listMessages',
        summary: 'List the newest messages of a ticket, and earlier ones by cursor',
        tags,
        params: ticketParams,
        querystring: listMessagesQuery,
        response: { 200: messagePageSchema },
      },
    },
    async (request) => {
      const actor = actorOf(request);
      const { ticketId } = request.params;
      const { before, limit = 30, bodies, trash } = request.query;
      const areHeads = bodies === 'none';
      if (!(await hasTicket(db, actor, ticketId, { trash }))) throw new AppError('ticket.not_found');
      const page = await listNewestMessages(db, actor, { ticketId, before, limit, areHeads });
      return {
        ...page,
        messages: page.messages.map(({ snippet, ...message }) => {
          const presented = presentMessage(fileUrls, actor, message);
          return { ...(areHeads ? headOf(presented) : presented), snippet };
        }),
      };
    },
  );
}

function headOf({ body: _, bodyHtml: __, replyText: ___, newHtml: ____, quotedHtml: _____, ...head }: Message) {
  return head;
}

function appendRoute(server: Server, { db, fileUrls, live }: App): void {
  server.post(
    messages,
    {
      config: {
        ...write,
        errors: [
          'ticket.not_found',
          'ticket.merged',
          'ticket.spam',
          'ticket.newer_message',
          'mailbox.none_sends',
          'draft.not_found',
          ...replyErrors,
          'workspace.recipient_limit',
          'workspace.storage_full',
        ],
      },
      schema: {
        operationId: 'appendMessage',
        summary: 'Add an answer or an internal note',
        tags,
        params: ticketParams,
        body: appendMessageBody,
        response: { 201: appendedMessageSchema },
      },
    },
    async (request, reply) => {
      const dropped: DroppedDraft[] = [];
      await answerInTx(db, request, reply, async (tx, actor) => {
        const appended = await appendWithReply(tx, actor, {
          ...request.body,
          ticketId: request.params.ticketId,
        });
        const { message, ticket, ignoredMentions } = appended;
        if (appended.dropped !== undefined) dropped.push(appended.dropped);
        const presented = presentMessage(fileUrls, actor, message);
        const body = ignoredMentions.length === 0 ? presented : { ...presented, ignoredMentions };
        return { status: 201, body, etag: ticket.version };
      });
      for (const draft of dropped) tellOfDraft(live, actorOf(request), draft);
    },
  );
}
