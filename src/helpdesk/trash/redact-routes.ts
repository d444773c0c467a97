import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { presentMessage } from '../messages/present.ts';
import { messageParams, messageSchema } from '../messages/schema.ts';
import { redactMessage } from './redact.ts';

const workspace = inWorkspace('tickets');

const redactBody = Type.Object({
  reason: Type.Optional(
    Type.String({ maxLength: 500, 'x-trim': 'measured', 'x-empty': 'absent', description: 'For the audit log.' }),
  ),
});

export function redactRoutes(server: Server, { fileUrls }: App): void {
  workspace.post(server, '/tickets/:ticketId/messages/:messageId/redact', {
    id: 'redactMessage',
    summary: 'Remove the content of a message for good',
    description:
      'Deletes its text, HTML, files, original mail and search words at once; the bytes of files follow within ' +
      'two days. A stub stays, with who wrote when to whom, and who removed the content. Nothing brings it back. ' +
      'Answers that quote the message, and drafts, stay as they are.',
    can: 'message.redact',
    errors: ['ticket.not_found', 'ticket.merged', 'message.not_found', 'message.not_sent_yet'],
    params: messageParams,
    body: redactBody,
    answers: { 200: messageSchema },
    inTx: async (tx, { actor, params, body }) => {
      const { ticketId, messageId } = params;
      const { message, ticket } = await redactMessage(tx, actor, { ticketId, messageId, ...body });
      return answer(presentMessage(fileUrls, actor, message), { etag: ticket.version });
    },
  });
}
