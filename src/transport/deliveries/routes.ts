import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { presentMessage } from '../../helpdesk/messages/present.ts';
import { listUndelivered } from '../../helpdesk/messages/problems.ts';
import { listScheduledQuery, rescheduleBody, scheduledPageSchema } from '../../helpdesk/messages/scheduled-schema.ts';
import {
  listUndeliveredQuery,
  messageParams,
  messageSchema,
  undeliveredPageSchema,
} from '../../helpdesk/messages/schema.ts';
import { listScheduled } from './list-scheduled.ts';
import { cancelDelivery, handleDelivery, rescheduleDelivery, retryDelivery } from './steer-delivery.ts';

const workspace = inWorkspace('tickets');

const steering = [
  {
    verb: 'retry',
    id: 'retryMessage',
    summary: 'Send a message again that did not arrive, or send a waiting one now',
    steer: retryDelivery,
  },
  {
    verb: 'cancel',
    id: 'cancelMessage',
    summary: 'Cancel a message that waits to be sent',
    description: 'The text of a scheduled message becomes the draft of its author again.',
    steer: cancelDelivery,
  },
  {
    verb: 'handled',
    id: 'markMessageHandled',
    summary: 'Take a message that did not arrive off the list of undelivered ones',
    description:
      'For a message that somebody has settled in another way, such as by telephone. Changes no other message.',
    steer: handleDelivery,
  },
];

export function deliveryRoutes(server: Server, { db, fileUrls }: App): void {
  workspace.get(server, '/messages/undelivered', {
    id: 'listUndeliveredMessages',
    summary: 'List the messages that did not reach their recipients, newest first',
    description: 'Leaves out those that are marked as handled, and those of tickets in the trash and spam.',
    can: 'ticket.read',
    query: listUndeliveredQuery,
    answers: { 200: undeliveredPageSchema },
    handler: (request) => {
      const { limit = 50, ...query } = request.query;
      return listUndelivered(db, request.actor, { limit, ...query });
    },
  });

  workspace.get(server, '/messages/scheduled', {
    id: 'listScheduledMessages',
    summary: 'List the scheduled messages of everybody, those first that leave first',
    description: 'Leaves out those of tickets in the trash and spam, from which none leaves.',
    can: 'ticket.read',
    query: listScheduledQuery,
    answers: { 200: scheduledPageSchema },
    handler: (request) => {
      const { limit = 50, ...query } = request.query;
      return listScheduled(db, request.actor, { limit, ...query });
    },
  });

  workspace.post(server, '/tickets/:ticketId/messages/:messageId/reschedule', {
    id: 'rescheduleMessage',
    summary: 'Change when a scheduled message leaves',
    can: 'ticket.write',
    errors: ['ticket.not_found', 'ticket.merged', 'message.not_found', 'message.not_mailed', 'message.not_scheduled'],
    params: messageParams,
    body: rescheduleBody,
    answers: { 200: messageSchema },
    inTx: async (tx, { actor, params, body }) => {
      const { message, ticket } = await rescheduleDelivery(tx, actor, params, body.sendAt);
      return answer(presentMessage(fileUrls, actor, message), { etag: ticket.version });
    },
  });

  for (const { verb, steer, ...text } of steering) {
    workspace.post(server, `/tickets/:ticketId/messages/:messageId/${verb}`, {
      ...text,
      can: 'ticket.write',
      errors: [
        'ticket.not_found',
        'ticket.merged',
        'ticket.spam',
        'message.not_found',
        'message.not_mailed',
        'message.already_sent',
        'message.redacted',
      ],
      params: messageParams,
      answers: { 200: messageSchema },
      inTx: async (tx, { actor, params }) => {
        const { message, ticket } = await steer(tx, actor, params);
        return answer(presentMessage(fileUrls, actor, message), { etag: ticket.version });
      },
    });
  }
}
