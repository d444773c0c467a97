import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { deleteWebhook, rotateSecret, updateWebhook } from './change-webhook.ts';
import { createWebhook } from './create-webhook.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { getWebhook, listWebhooks } from './queries.ts';
import { createdWebhookSchema, createWebhookBody, updateWebhookBody, webhookParams, webhookSchema } from './schema.ts';

const workspace = inWorkspace('integrations');
const manageOne = { can: 'webhook.manage', errors: ['webhook.not_found'] } as const;

export function integrationRoutes(server: Server, app: App): void {
  createRoute(server, app);
  readRoutes(server, app);
  changeRoutes(server, app);
  rotateRoute(server, app);
  deliveryRoutes(server, app);
}

function createRoute(server: Server, { db, seal, receivers }: App): void {
  workspace.post(server, '/webhooks', {
    id: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Sends all later events. The secret is shown only in this response; receivers check signatures with it.',
    can: 'webhook.manage',
    errors: ['webhook.too_many', 'idempotency.secret_not_repeatable'],
    body: createWebhookBody,
    answers: { 201: createdWebhookSchema },
    handler: async (request, reply) => {
      const url = await checkedUrl(receivers, request.body.url);
      return answerInTx(db, request, reply, async (tx, actor) => ({
        status: 201,
        body: await createWebhook(tx, seal, actor, { ...request.body, url }),
        holdsSecret: true,
      }));
    },
  });
}

function readRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/webhooks', {
    id: 'listWebhooks',
    summary: 'List the webhooks of a workspace, newest first',
    can: 'webhook.manage',
    answers: { 200: Type.Array(webhookSchema) },
    handler: ({ actor }) => listWebhooks(db, actor.workspaceId),
  });

  workspace.get(server, '/webhooks/:webhookId', {
    id: 'readWebhook',
    summary: 'Read a webhook and its state',
    ...manageOne,
    params: webhookParams,
    answers: { 200: webhookSchema },
    handler: ({ actor, params }) => getWebhook(db, { workspaceId: actor.workspaceId, webhookId: params.webhookId }),
  });
}

function changeRoutes(server: Server, { db, receivers }: App): void {
  workspace.patch(server, '/webhooks/:webhookId', {
    id: 'updateWebhook',
    summary: 'Change, disable or enable a webhook',
    description:
      'A new `url` gets all waiting deliveries at once. Disabling gives up the waiting deliveries. ' +
      'Enabling sends all later events. Null clears `description`.',
    ...manageOne,
    params: webhookParams,
    body: updateWebhookBody,
    answers: { 200: webhookSchema },
    handler: async (request, reply) => {
      const { url, ...input } = request.body;
      const checked = url === undefined ? {} : { url: await checkedUrl(receivers, url) };
      return answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await updateWebhook(tx, actor, { ...input, ...checked, webhookId: request.params.webhookId }),
      }));
    },
  });

  workspace.delete(server, '/webhooks/:webhookId', {
    id: 'deleteWebhook',
    summary: 'Delete a webhook and its delivery log',
    ...manageOne,
    errors: [...manageOne.errors, 'in_use'],
    params: webhookParams,
    answers: { 204: Type.Null({ description: 'The webhook is deleted.' }) },
    inTx: (tx, { actor, params }) => deleteWebhook(tx, actor, params),
  });
}

function rotateRoute(server: Server, { seal }: App): void {
  workspace.post(server, '/webhooks/:webhookId/rotate-secret', {
    id: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description:
      'The new secret is shown only in this response. For 24 hours the previous secret signs as well, ' +
      'so that receivers can change over. A second rotation ends the oldest secret at once.',
    can: 'webhook.manage',
    errors: [...manageOne.errors, 'idempotency.secret_not_repeatable'],
    params: webhookParams,
    answers: { 200: createdWebhookSchema },
    inTx: async (tx, { actor, params }) => answer(await rotateSecret(tx, seal, actor, params), { holdsSecret: true }),
  });
}

/** Runs before the transaction begins, because it queries a name server. Throws 400. */
async function checkedUrl(receivers: App['receivers'], url: string): Promise<string> {
  const fault = await receivers.faultOf(url);
  if (fault !== undefined) throw invalidRequest({ path: 'body.url', key: fault });
  const { href, hash } = new URL(url);
  return hash === '' ? href : href.slice(0, -hash.length);
}
