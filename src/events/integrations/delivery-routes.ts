import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { uuid } from '../../ground/http/schema.ts';
import { redeliver, sendTest } from './ask-delivery.ts';
import { listDeliveries } from './queries.ts';
import { deliveriesPage, deliveryParams, deliverySchema, listDeliveriesQuery, webhookParams } from './schema.ts';

const workspace = inWorkspace('integrations');

export function deliveryRoutes(server: Server, { db }: App): void {
  workspace.post(server, '/webhooks/:webhookId/test', {
    id: 'testWebhook',
    summary: 'Send a `webhook.test` event',
    can: 'webhook.manage',
    errors: ['webhook.not_found', 'webhook.disabled'],
    params: webhookParams,
    answers: { 202: Type.Object({ deliveryId: uuid }, { description: 'The event is queued.' }) },
    inTx: (tx, { actor, params }) => sendTest(tx, actor, params),
  });

  workspace.get(server, '/webhooks/:webhookId/deliveries', {
    id: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook, newest first',
    description: 'Covers the last 30 days.',
    can: 'webhook.manage',
    errors: ['webhook.not_found'],
    params: webhookParams,
    query: listDeliveriesQuery,
    answers: { 200: deliveriesPage },
    handler: (request) => {
      const { workspaceId } = request.actor;
      const { limit = 20, ...query } = request.query;
      return listDeliveries(db, { workspaceId, webhookId: request.params.webhookId, limit, ...query });
    },
  });

  workspace.post(server, '/webhooks/:webhookId/deliveries/:deliveryId/redeliver', {
    id: 'redeliverWebhook',
    summary: 'Send a delivery again',
    description: 'Uses the same `webhook-id`, whether the delivery arrived or not.',
    can: 'webhook.manage',
    errors: ['webhook.not_found', 'webhook.delivery_not_found', 'webhook.disabled'],
    params: deliveryParams,
    answers: { 202: { ...deliverySchema, description: 'The delivery is queued.' } },
    inTx: (tx, { actor, params }) => redeliver(tx, actor, params),
  });
}
