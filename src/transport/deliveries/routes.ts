import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { presentMessage } from '../../helpdesk/messages/present.ts';
import { listUndelivered } from '../../helpdesk/messages/problems.ts';
import {
  listUndeliveredQuery,
  messageParams,
  messageSchema,
  undeliveredPageSchema,
} from '../../helpdesk/messages/schema.ts';
import { cancelDelivery, handleDelivery, retryDelivery } from './steer-delivery.ts';

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
  {
    verb: 'handled',
    operationId: 'markMessageHandled',
    summary: 'Take a message that did not arrive off the list of undelivered ones',
    description:
      'For a message that somebody has settled in another way, such as by telephone. Changes no other message.',
    steer: handleDelivery,
  },
];

export function deliveryRoutes(server: Server, { db, fileUrls }: App): void {
  server.get(
    '/v1/workspaces/:workspaceId/messages/undelivered',
    {
      config: { can: 'ticket.read' },
      schema: {
        operationId: 'listUndeliveredMessages',
        summary: 'List the messages that did not reach their recipients, newest first',
        description: 'Leaves out those that are marked as handled, and those of tickets in the trash and spam.',
        tags: ['tickets'],
        params: workspaceParams,
        querystring: listUndeliveredQuery,
        response: { 200: undeliveredPageSchema },
      },
    },
    (request) => {
      const { limit = 50, ...query } = request.query;
      return listUndelivered(db, actorOf(request), { limit, ...query });
    },
  );

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
            'message.redacted',
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
          return { status: 200, body: presentMessage(fileUrls, actor, message), etag: ticket.version };
        }),
    );
  }
}
