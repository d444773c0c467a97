import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { deleteWebhook, rotateSecret, updateWebhook } from './change-webhook.ts';
import { createWebhook } from './create-webhook.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { getWebhook, listWebhooks } from './queries.ts';
import { createdWebhookSchema, createWebhookBody, updateWebhookBody, webhookParams, webhookSchema } from './schema.ts';

const webhooks = '/v1/workspaces/:workspaceId/webhooks';
const webhook = `${webhooks}/:webhookId`;
const tags = ['integrations'];
const manage = { can: 'webhook.manage' } as const;
const manageOne = { ...manage, errors: ['webhook.not_found'] } as const;

export function integrationRoutes(server: Server, app: App): void {
  createRoute(server, app);
  readRoutes(server, app);
  changeRoutes(server, app);
  rotateRoute(server, app);
  deliveryRoutes(server, app);
}

function createRoute(server: Server, { db, seal, receivers }: App): void {
  server.post(
    webhooks,
    {
      config: { ...manage, errors: ['webhook.too_many', 'idempotency.secret_not_repeatable'] },
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description:
          'Sends all later events. The secret is shown only in this response; receivers check signatures with it.',
        tags,
        params: workspaceParams,
        body: createWebhookBody,
        response: { 201: createdWebhookSchema },
      },
    },
    async (request, reply) => {
      const url = await checkedUrl(receivers, request.body.url);
      return answerInTx(db, request, reply, async (tx, actor) => ({
        status: 201,
        body: await createWebhook(tx, seal, actor, { ...request.body, url }),
        holdsSecret: true,
      }));
    },
  );
}

function readRoutes(server: Server, { db }: App): void {
  server.get(
    webhooks,
    {
      config: manage,
      schema: {
        operationId: 'listWebhooks',
        summary: 'List the webhooks of a workspace, newest first',
        tags,
        params: workspaceParams,
        response: { 200: Type.Array(webhookSchema) },
      },
    },
    (request) => listWebhooks(db, actorOf(request).workspaceId),
  );

  server.get(
    webhook,
    {
      config: manageOne,
      schema: {
        operationId: 'readWebhook',
        summary: 'Read a webhook and its state',
        tags,
        params: webhookParams,
        response: { 200: webhookSchema },
      },
    },
    (request) => getWebhook(db, { workspaceId: actorOf(request).workspaceId, webhookId: request.params.webhookId }),
  );
}

function changeRoutes(server: Server, { db, receivers }: App): void {
  server.patch(
    webhook,
    {
      config: manageOne,
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change, disable or enable a webhook',
        description:
          'A new `url` gets all waiting deliveries at once. Disabling gives up the waiting deliveries. ' +
          'Enabling sends all later events. Null clears `description`.',
        tags,
        params: webhookParams,
        body: updateWebhookBody,
        response: { 200: webhookSchema },
      },
    },
    async (request, reply) => {
      const { url, ...input } = request.body;
      const checked = url === undefined ? {} : { url: await checkedUrl(receivers, url) };
      return answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await updateWebhook(tx, actor, { ...input, ...checked, webhookId: request.params.webhookId }),
      }));
    },
  );

  server.delete(
    webhook,
    {
      config: manageOne,
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook and its delivery log',
        tags,
        params: webhookParams,
        response: { 204: Type.Null({ description: 'The webhook is deleted.' }) },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        await deleteWebhook(tx, actor, request.params);
        return { status: 204, body: null };
      }),
  );
}

function rotateRoute(server: Server, { db, seal }: App): void {
  server.post(
    `${webhook}/rotate-secret`,
    {
      config: { ...manageOne, errors: [...manageOne.errors, 'idempotency.secret_not_repeatable'] },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the secret of a webhook',
        description:
          'The new secret is shown only in this response. For 24 hours the previous secret signs as well, ' +
          'so that receivers can change over. A second rotation ends the oldest secret at once.',
        tags,
        params: webhookParams,
        response: { 200: createdWebhookSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await rotateSecret(tx, seal, actor, request.params),
        holdsSecret: true,
      })),
  );
}

/** Runs before the transaction begins, because it queries a name server. Throws 400. */
async function checkedUrl(receivers: App['receivers'], url: string): Promise<string> {
  const fault = await receivers.faultOf(url);
  if (fault !== undefined) throw invalidRequest({ path: 'body.url', key: fault });
  const { href, hash } = new URL(url);
  return hash === '' ? href : href.slice(0, -hash.length);
}
