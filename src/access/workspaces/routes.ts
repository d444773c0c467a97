import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { principalOf, type Server } from '../../ground/http/http.ts';
import { forSignedIn, inWorkspace } from '../../ground/http/operation.ts';
import { createWorkspace, limitNewWorkspaces } from './create-workspace.ts';
import { inviteRoutes } from './invite-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { memberRoutes } from './member-routes.ts';
import { preferenceRoutes } from './preference-routes.ts';
import { getWorkspaceOf, listWorkspaces } from './queries.ts';
import { createWorkspaceBody, updateWorkspaceBody, workspaceSchema, workspaceWithSettingsSchema } from './schema.ts';
import { updateWorkspace } from './update-workspace.ts';

const workspace = inWorkspace('workspaces');
const signedIn = forSignedIn('workspaces');

export function workspaceRoutes(server: Server, app: App): void {
  ownRoutes(server, app);
  settingsRoutes(server, app);
  memberRoutes(server, app);
  preferenceRoutes(server, app);
  inviteRoutes(server, app);
  keyRoutes(server, app);
}

function ownRoutes(server: Server, { db, config }: App): void {
  signedIn.post(server, '/v1/workspaces', {
    id: 'createWorkspace',
    summary: 'Create a workspace and own it',
    description: 'The operator limits how many an account may create within a day, else 429.',
    errors: ['workspace.too_many'],
    body: createWorkspaceBody,
    answers: { 201: workspaceSchema },
    handler: ({ principal, body }) => {
      const { name } = body;
      const { userId: ownerId } = principal;
      return db.tx(async (tx) => {
        await limitNewWorkspaces(tx, ownerId, config.workspacesPerDay);
        return createWorkspace(tx, { name, ownerId });
      });
    },
  });

  signedIn.get(server, '/v1/workspaces', {
    id: 'listWorkspaces',
    summary: 'List your workspaces, oldest membership first',
    answers: { 200: Type.Array(workspaceSchema) },
    handler: ({ principal }) => listWorkspaces(db, principal.userId),
  });
}

function settingsRoutes(server: Server, { db, live }: App): void {
  workspace.get(server, '', {
    id: 'readWorkspace',
    summary: 'Read a workspace and your role in it',
    can: 'workspace.read',
    answers: { 200: workspaceWithSettingsSchema },
    handler: ({ actor }) => getWorkspaceOf(db, actor),
  });

  workspace.patch(server, '', {
    id: 'updateWorkspace',
    summary: 'Rename a workspace, name its further addresses, or require a second factor in it',
    description: 'To require a second factor, you must have entered your own in this session.',
    can: 'workspace.manage',
    body: updateWorkspaceBody,
    answers: { 200: workspaceWithSettingsSchema },
    inTx: async (tx, request) => {
      const { actor } = request;
      const { sessionId } = principalOf(request);
      return await updateWorkspace(tx, actor, { ...request.body, sessionId });
    },
    afterwards: ({ actor: { workspaceId } }) =>
      live.signal({ workspaceId, userId: null, event: 'workspace', data: {} }),
  });
}
