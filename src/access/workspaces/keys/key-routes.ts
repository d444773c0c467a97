import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { pageOf, type Server } from '../../../ground/http/http.ts';
import { answer, inWorkspace } from '../../../ground/http/operation.ts';
import { listKeys } from '../queries.ts';
import { apiKeyParams, apiKeySchema, createdKeySchema, createKeyBody, pageQuery, updateKeyBody } from '../schema.ts';
import { createKey } from './create-key.ts';
import { revokeKey } from './revoke-key.ts';
import { updateKey } from './update-key.ts';

const workspace = inWorkspace('workspaces');

export function keyRoutes(server: Server, app: App): void {
  makeRoutes(server, app);
  changeRoutes(server, app);
}

function makeRoutes(server: Server, { db }: App): void {
  workspace.post(server, '/api-keys', {
    id: 'createApiKey',
    summary: 'Create an API key',
    description:
      'For programs. The key acts as you in this workspace, for as long as you are a member. ' +
      'It has the given role, or your current role if that is lower. It sees what you see, or only tickets of teams.',
    can: 'key.manage',
    errors: ['key.too_many', 'idempotency.secret_not_repeatable'],
    body: createKeyBody,
    answers: { 201: createdKeySchema },
    inTx: async (tx, { actor, body }) => answer(await createKey(tx, actor, body), { holdsSecret: true }),
  });

  workspace.get(server, '/api-keys', {
    id: 'listApiKeys',
    summary: 'List the API keys of a workspace',
    description: 'Newest first. The next page is in the `Link` header.',
    can: 'key.manage',
    query: pageQuery,
    answers: { 200: Type.Array(apiKeySchema) },
    handler: async ({ actor, query, url }, reply) => pageOf(await listKeys(db, actor, query), url, reply),
  });
}

function changeRoutes(server: Server, { live }: App): void {
  workspace.patch(server, '/api-keys/:apiKeyId', {
    id: 'updateApiKey',
    summary: 'Change the name of an API key, or the teams whose tickets it sees',
    description: 'Only its maker may.',
    can: 'key.manage',
    errors: ['key.not_found', 'key.not_yours'],
    params: apiKeyParams,
    body: updateKeyBody,
    answers: { 200: apiKeySchema },
    inTx: (tx, { actor, params, body }) => updateKey(tx, actor, { ...body, keyId: params.apiKeyId }),
    // The key may see other tickets now. Its streams are its maker's.
    afterwards: ({ actor: { workspaceId, userId } }) => live.signal({ workspaceId, userId, event: 'team', data: {} }),
  });

  workspace.delete(server, '/api-keys/:apiKeyId', {
    id: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'Only owners may revoke the key of an owner.',
    can: 'key.manage',
    errors: ['key.not_found'],
    params: apiKeyParams,
    answers: { 204: Type.Null({ description: 'The key no longer works.' }) },
    inTx: (tx, { actor, params }) => revokeKey(tx, actor, params.apiKeyId),
  });
}
