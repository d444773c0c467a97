import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { uuid } from '../../ground/http/schema.ts';
import { redeliver, sendTest } from './ask-delivery.ts';
import { listDeliveries } from './queries.ts';
import { deliveriesPage, deliveryParams, deliverySchema, listDeliveriesQuery, webhookParams } from './schema.ts';

const webhook = '/v1/workspaces/:workspaceId/webhooks/:webhookId';
const tags = ['integrations'];
const manage = { can: 'webhook.manage' } as const;

export function deliveryRoutes(server: Server, { db }: App): void {
  server.post(
    `${webhook}/test`,
    {
      config: { ...manage, errors: ['webhook.not_found', 'webhook.disabled'] },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a `webhook.test` event',
        tags,
        params: webhookParams,
        response: { 202: Type.Object({ deliveryId: uuid }, { description: 'The event is queued.' }) },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 202,
        body: await sendTest(tx, actor, request.params),
      })),
  );

  server.get(
    `${webhook}/deliveries`,
    {
      config: { ...manage, errors: ['webhook.not_found'] },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List the deliveries of a webhook, newest first',
        description: 'Covers the last 30 days.',
        tags,
        params: webhookParams,
        querystring: listDeliveriesQuery,
        response: { 200: deliveriesPage },
      },
    },
    (request) => {
      const { workspaceId } = actorOf(request);
      const { limit = 20, ...query } = request.query;
      return listDeliveries(db, { workspaceId, webhookId: request.params.webhookId, limit, ...query });
    },
  );

  server.post(
    `${webhook}/deliveries/:deliveryId/redeliver`,
    {
      config: { ...manage, errors: ['webhook.not_found', 'webhook.delivery_not_found', 'webhook.disabled'] },
      schema: {
        operationId: 'redeliverWebhook',
        summary: 'Send a delivery again',
        description: 'Uses the same `webhook-id`, whether the delivery arrived or not.',
        tags,
        params: deliveryParams,
        response: { 202: { ...deliverySchema, description: 'The delivery is queued.' } },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 202,
        body: await redeliver(tx, actor, request.params),
      })),
  );
}
