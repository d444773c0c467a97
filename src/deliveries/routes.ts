import type { App } from '../app.ts';
import type { Server } from '../http/http.ts';
import { answerInTx } from '../http/idempotency.ts';
import { presentMessage } from '../messages/present.ts';
import { messageParams, messageSchema } from '../messages/schema.ts';
import { cancelDelivery, retryDelivery } from './steer-delivery.ts';

const steering = [
  {
    verb: 'retry',
    operationId: 'retryMessage',
    summary: 'Send a message again that did not arrive, or send a waiting one now',
    steer: retryDelivery,
  },
  {
    verb: 'cancel',
    operationId: 'cancelMessage',
    summary: 'Cancel a message that waits to be sent',
    steer: cancelDelivery,
  },
];

export function deliveryRoutes(server: Server, { db, fileUrls }: App): void {
  for (const { verb, steer, ...text } of steering) {
    server.post(
      `/v1/workspaces/:workspaceId/tickets/:ticketId/messages/:messageId/${verb}`,
      {
        config: {
          can: 'ticket.write',
          errors: [
            'ticket.not_found',
            'ticket.merged',
            'message.not_found',
            'message.not_mailed',
            'message.already_sent',
          ],
        },
        schema: {
          ...text,
          tags: ['tickets'],
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
