import type { App } from '../app.ts';
import { actorOf, type Server } from '../http/http.ts';
import { answerInTx } from '../http/idempotency.ts';
import { AppError } from '../lib/errors.ts';
import { appendMessage } from './append.ts';
import type { DroppedDraft } from './keep-draft.ts';
import { listNewestMessages } from './message-queries.ts';
import {
  appendedMessageSchema,
  appendMessageBody,
  listMessagesQuery,
  type Message,
  messagePageSchema,
  messageParams,
  messageSchema,
} from './message-schema.ts';
import { presentMessage } from './present.ts';
import { hasTicket } from './queries.ts';
import { ticketParams } from './schema.ts';
import { cancelDelivery, retryDelivery } from './steer-delivery.ts';
import { tellOfDraft } from './tell-of-draft.ts';

const messages = '/v1/workspaces/:workspaceId/tickets/:ticketId/messages';
const tags = ['tickets'];
const write = { can: 'ticket.write' } as const;

export function messageRoutes(server: Server, app: App): void {
  listRoute(server, app);
  appendRoute(server, app);
  deliveryRoutes(server, app);
}

function listRoute(server: Server, { db, fileUrls }: App): void {
  server.get(
    messages,
    {
      config: { can: 'ticket.read', errors: ['ticket.not_found'], isLarge: true },
      schema: {
        operationId: 'listMessages',
        summary: 'The newest messages of a ticket, and those before them',
        tags,
        params: ticketParams,
        querystring: listMessagesQuery,
        response: { 200: messagePageSchema },
      },
    },
    async (request) => {
      const { workspaceId } = actorOf(request);
      const { ticketId } = request.params;
      const { before, limit = 30, bodies } = request.query;
      const areHeads = bodies === 'none';
      if (!(await hasTicket(db, workspaceId, ticketId))) throw new AppError('ticket.not_found');
      const page = await listNewestMessages(db, { workspaceId, ticketId }, { before, limit, areHeads });
      return {
        ...page,
        messages: page.messages.map(({ snippet, ...message }) => {
          const presented = presentMessage(fileUrls, workspaceId, message);
          return { ...(areHeads ? headOf(presented) : presented), snippet };
        }),
      };
    },
  );
}

function headOf({ body: _, bodyHtml: __, replyText: ___, newHtml: ____, quotedHtml: _____, ...head }: Message) {
  return head;
}

function appendRoute(server: Server, { db, fileUrls, config, live }: App): void {
  server.post(
    messages,
    {
      config: {
        ...write,
        errors: [
          'ticket.not_found',
          'ticket.merged',
          'ticket.newer_message',
          'draft.not_found',
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
        const appended = await appendMessage(tx, actor, {
          ...request.body,
          ticketId: request.params.ticketId,
          mailFrom: config.mailFrom.email,
          newRecipientsPerDay: config.newRecipientsPerDay,
          storageBytesMax: config.storageBytesMax,
        });
        return appended.map(({ message, ticket, ignoredMentions, dropped: draft }) => {
          if (draft !== undefined) dropped.push(draft);
          const presented = presentMessage(fileUrls, actor.workspaceId, message);
          const body = ignoredMentions.length === 0 ? presented : { ...presented, ignoredMentions };
          return { status: 201, body, etag: ticket.version };
        });
      });
      for (const draft of dropped) tellOfDraft(live, actorOf(request), draft);
    },
  );
}

const steering = {
  retry: { steer: retryDelivery, summary: 'Send a message again that did not arrive, or now one that waits' },
  cancel: { steer: cancelDelivery, summary: 'Stop a message that waits to be sent' },
} as const;

function deliveryRoutes(server: Server, { db, fileUrls }: App): void {
  for (const verb of ['retry', 'cancel'] as const) {
    const { steer, summary } = steering[verb];
    server.post(
      `${messages}/:messageId/${verb}`,
      {
        config: {
          ...write,
          errors: [
            'ticket.not_found',
            'ticket.merged',
            'message.not_found',
            'message.not_mailed',
            'message.already_sent',
          ],
        },
        schema: {
          operationId: `${verb}Message`,
          summary,
          tags,
          params: messageParams,
          response: { 200: messageSchema },
        },
      },
      (request, reply) =>
        answerInTx(db, request, reply, async (tx, actor) => {
          const { message, ticket } = await steer(tx, actor, request.params);
          return { status: 200, body: presentMessage(fileUrls, actor.workspaceId, message), etag: ticket.version };
        }),
    );
  }
}
