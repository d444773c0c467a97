import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { actorOf, nextPageLink, type Server } from '../../../ground/http/http.ts';
import { answerInTx } from '../../../ground/http/idempotency.ts';
import { workspaceParams } from '../../../ground/http/schema.ts';
import { listKeys } from '../queries.ts';
import { apiKeyParams, apiKeySchema, createdKeySchema, createKeyBody, pageQuery } from '../schema.ts';
import { createKey } from './create-key.ts';
import { revokeKey } from './revoke-key.ts';

const keys = '/v1/workspaces/:workspaceId/api-keys';
const tags = ['workspaces'];
const manage = { can: 'key.manage' } as const;

export function keyRoutes(server: Server, { db }: App): void {
  server.post(
    keys,
    {
      config: { ...manage, errors: ['key.too_many', 'idempotency.secret_not_repeatable'] },
      schema: {
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description:
          'For programs. The key acts as you in this workspace, for as long as you are a member. ' +
          'It has the given role, or your current role if that is lower.',
        tags,
        params: workspaceParams,
        body: createKeyBody,
        response: { 201: createdKeySchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 201,
        body: await createKey(tx, actor, request.body),
        holdsSecret: true,
      })),
  );

  server.get(
    keys,
    {
      config: manage,
      schema: {
        operationId: 'listApiKeys',
        summary: 'List the API keys of a workspace',
        description: 'Newest first. The next page is in the `Link` header.',
        tags,
        params: workspaceParams,
        querystring: pageQuery,
        response: { 200: Type.Array(apiKeySchema) },
      },
    },
    async (request, reply) => {
      const { items, nextCursor } = await listKeys(db, actorOf(request), request.query);
      if (nextCursor !== undefined) reply.header('link', nextPageLink(request.url, nextCursor));
      return items;
    },
  );

  server.delete(
    `${keys}/:apiKeyId`,
    {
      config: { ...manage, errors: ['key.not_found'] },
      schema: {
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description: 'Only owners may revoke the key of an owner.',
        tags,
        params: apiKeyParams,
        response: { 204: Type.Null({ description: 'The key no longer works.' }) },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        await revokeKey(tx, actor, request.params.apiKeyId);
        return { status: 204, body: null };
      }),
  );
}
