import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { presentMessage } from '../messages/present.ts';
import { messageParams, messageSchema } from '../messages/schema.ts';
import { redactMessage } from './redact.ts';

const redactBody = Type.Object({
  reason: Type.Optional(
    Type.String({ maxLength: 500, 'x-trim': 'measured', 'x-empty': 'absent', description: 'For the audit log.' }),
  ),
});

export function redactRoutes(server: Server, { db, fileUrls }: App): void {
  server.post(
    '/v1/workspaces/:workspaceId/tickets/:ticketId/messages/:messageId/redact',
    {
      config: {
        can: 'message.redact',
        errors: ['ticket.not_found', 'ticket.merged', 'message.not_found', 'message.not_sent_yet'],
      },
      schema: {
        operationId: 'redactMessage',
        summary: 'Remove the content of a message for good',
        description:
          'Deletes its text, HTML, files, original mail and search words at once; the bytes of files follow within ' +
          'two days. A stub stays, with who wrote when to whom, and who removed the content. Nothing brings it back. ' +
          'Answers that quote the message, and drafts, stay as they are.',
        tags: ['tickets'],
        params: messageParams,
        body: redactBody,
        response: { 200: messageSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const { ticketId, messageId } = request.params;
        const { message, ticket } = await redactMessage(tx, actor, { ticketId, messageId, ...request.body });
        return { status: 200, body: presentMessage(fileUrls, actor, message), etag: ticket.version };
      }),
  );
}
