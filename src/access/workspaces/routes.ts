import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, principalOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { createWorkspace, limitNewWorkspaces } from './create-workspace.ts';
import { inviteRoutes } from './invite-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { memberRoutes } from './member-routes.ts';
import { preferenceRoutes } from './preference-routes.ts';
import { getWorkspaceOf, listWorkspaces } from './queries.ts';
import { createWorkspaceBody, updateWorkspaceBody, workspaceSchema, workspaceWithSettingsSchema } from './schema.ts';
import { updateWorkspace } from './update-workspace.ts';

const workspaces = '/v1/workspaces';
const workspace = `${workspaces}/:workspaceId`;
const tags = ['workspaces'];

export function workspaceRoutes(server: Server, app: App): void {
  ownRoutes(server, app);
  settingsRoutes(server, app);
  memberRoutes(server, app);
  preferenceRoutes(server, app);
  inviteRoutes(server, app);
  keyRoutes(server, app);
}

function ownRoutes(server: Server, { db, config }: App): void {
  server.post(
    workspaces,
    {
      config: { signedIn: true, errors: ['workspace.too_many'] },
      schema: {
        operationId: 'createWorkspace',
        summary: 'Create a workspace and own it',
        description: 'The operator limits how many an account may create within a day, else 429.',
        tags,
        body: createWorkspaceBody,
        response: { 201: workspaceSchema },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      const { userId: ownerId } = principalOf(request);
      const created = await db.tx(async (tx) => {
        await limitNewWorkspaces(tx, ownerId, config.workspacesPerDay);
        return createWorkspace(tx, { name, ownerId });
      });
      return reply.code(201).send(created);
    },
  );

  server.get(
    workspaces,
    {
      config: { signedIn: true },
      schema: {
        operationId: 'listWorkspaces',
        summary: 'List your workspaces, oldest membership first',
        tags,
        response: { 200: Type.Array(workspaceSchema) },
      },
    },
    (request) => listWorkspaces(db, principalOf(request).userId),
  );
}

function settingsRoutes(server: Server, { db, live }: App): void {
  server.get(
    workspace,
    {
      config: { can: 'workspace.read' },
      schema: {
        operationId: 'readWorkspace',
        summary: 'Read a workspace and your role in it',
        tags,
        params: workspaceParams,
        response: { 200: workspaceWithSettingsSchema },
      },
    },
    (request) => getWorkspaceOf(db, actorOf(request)),
  );

  server.patch(
    workspace,
    {
      config: { can: 'workspace.manage' },
      schema: {
        operationId: 'updateWorkspace',
        summary: 'Rename a workspace, name its further addresses, or require a second factor in it',
        description: 'To require a second factor, you must have entered your own in this session.',
        tags,
        params: workspaceParams,
        body: updateWorkspaceBody,
        response: { 200: workspaceWithSettingsSchema },
      },
    },
    async (request, reply) => {
      await answerInTx(db, request, reply, async (tx, actor) => {
        const { sessionId } = principalOf(request);
        return { status: 200, body: await updateWorkspace(tx, actor, { ...request.body, sessionId }) };
      });
      const { workspaceId } = actorOf(request);
      live.signal({ workspaceId, userId: null, event: 'workspace', data: {} });
    },
  );
}
