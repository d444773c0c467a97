import type { App } from '../app.ts';
import type { Server } from '../platform/http.ts';
import { answerInTx } from '../platform/idempotency.ts';
import { appendMessage } from './append.ts';
import { appendMessageBody, messageSchema } from './message-schema.ts';
import { presentMessage } from './present.ts';
import { ticketParams } from './schema.ts';

const messages = '/v1/workspaces/:workspaceId/tickets/:ticketId/messages';
const tags = ['tickets'];
const write = { can: 'ticket.write' } as const;

export function messageRoutes(server: Server, { db, fileUrls }: App): void {
  server.post(
    messages,
    {
      config: { ...write, errors: ['ticket.not_found', 'ticket.merged'] },
      schema: {
        operationId: 'appendMessage',
        summary: 'Add an answer or an internal note',
        tags,
        params: ticketParams,
        body: appendMessageBody,
        response: { 201: messageSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const { message, ticket } = await appendMessage(tx, actor, {
          ...request.body,
          ticketId: request.params.ticketId,
        });
        return { status: 201, body: presentMessage(fileUrls, actor.workspaceId, message), etag: ticket.version };
      }),
  );
}
