import { Type } from 'typebox';
import type { App } from '../app.ts';
import { actorOf, nextPageLink, principalOf, type Server } from '../platform/http.ts';
import { answerInTx } from '../platform/idempotency.ts';
import { workspaceParams } from '../platform/schema.ts';
import { changeRole } from './change-role.ts';
import { createWorkspace } from './create-workspace.ts';
import { inviteMember } from './invite-member.ts';
import { getWorkspaceOf, listInvites, listMembers, listWorkspaces } from './queries.ts';
import { revokeInvite } from './revoke-invite.ts';
import {
  changeRoleBody,
  createWorkspaceBody,
  inviteMemberBody,
  inviteParams,
  inviteSchema,
  memberParams,
  memberSchema,
  pageQuery,
  workspaceSchema,
} from './schema.ts';

const workspaces = '/v1/workspaces';
const workspace = `${workspaces}/:workspaceId`;
const tags = ['workspaces'];
const manage = { can: 'member.manage' } as const;

export function workspaceRoutes(server: Server, app: App): void {
  ownRoutes(server, app);
  memberRoutes(server, app);
  inviteRoutes(server, app);
}

function ownRoutes(server: Server, { db }: App): void {
  server.post(
    workspaces,
    {
      config: { signedIn: true },
      schema: {
        operationId: 'createWorkspace',
        summary: 'Make a workspace and own it',
        tags,
        body: createWorkspaceBody,
        response: { 201: workspaceSchema },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      const { userId: ownerId } = principalOf(request);
      return reply.code(201).send(await db.tx((tx) => createWorkspace(tx, { name, ownerId })));
    },
  );

  server.get(
    workspaces,
    {
      config: { signedIn: true },
      schema: {
        operationId: 'listWorkspaces',
        summary: 'Your workspaces, the one you joined first first',
        tags,
        response: { 200: Type.Array(workspaceSchema) },
      },
    },
    (request) => listWorkspaces(db, principalOf(request).userId),
  );

  server.get(
    workspace,
    {
      config: { can: 'workspace.read' },
      schema: {
        operationId: 'readWorkspace',
        summary: 'A workspace, and your role in it',
        tags,
        params: workspaceParams,
        response: { 200: workspaceSchema },
      },
    },
    (request) => getWorkspaceOf(db, actorOf(request)),
  );
}

function memberRoutes(server: Server, { db }: App): void {
  server.get(
    `${workspace}/members`,
    {
      config: { can: 'member.read' },
      schema: {
        operationId: 'listMembers',
        summary: 'The members of a workspace',
        description: 'The oldest account first; the next page is in the `Link` header.',
        tags,
        params: workspaceParams,
        querystring: pageQuery,
        response: { 200: Type.Array(memberSchema) },
      },
    },
    async (request, reply) => {
      const { items, nextCursor } = await listMembers(db, actorOf(request), request.query);
      if (nextCursor !== undefined) reply.header('link', nextPageLink(request.url, nextCursor));
      return items;
    },
  );

  server.patch(
    `${workspace}/members/:userId`,
    {
      config: { ...manage, errors: ['member.not_found', 'member.last_owner'] },
      schema: {
        operationId: 'changeRole',
        summary: 'Give a member another role',
        description: 'Only owners make and unmake owners; one owner stays. It holds from the next request on.',
        tags,
        params: memberParams,
        body: changeRoleBody,
        response: { 200: memberSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await changeRole(tx, actor, { userId: request.params.userId, role: request.body.role }),
      })),
  );
}

function inviteRoutes(server: Server, { db, clock }: App): void {
  server.post(
    `${workspace}/invites`,
    {
      config: { ...manage, errors: ['invite.already_member'] },
      schema: {
        operationId: 'inviteMember',
        summary: 'Invite someone by mail',
        description: 'The link is good for 7 days. Only owners invite owners.',
        tags,
        params: workspaceParams,
        body: inviteMemberBody,
        response: { 201: inviteSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 201,
        body: await inviteMember(tx, actor, request.body),
      })),
  );

  server.get(
    `${workspace}/invites`,
    {
      config: manage,
      schema: {
        operationId: 'listInvites',
        summary: 'The pending invitations of a workspace',
        description: 'The newest first; the next page is in the `Link` header.',
        tags,
        params: workspaceParams,
        querystring: pageQuery,
        response: { 200: Type.Array(inviteSchema) },
      },
    },
    async (request, reply) => {
      const { items, nextCursor } = await listInvites(db, actorOf(request), { ...request.query, now: clock.now() });
      if (nextCursor !== undefined) reply.header('link', nextPageLink(request.url, nextCursor));
      return items;
    },
  );

  server.delete(
    `${workspace}/invites/:inviteId`,
    {
      config: { ...manage, errors: ['invite.not_found'] },
      schema: {
        operationId: 'revokeInvite',
        summary: 'Take an invitation back',
        tags,
        params: inviteParams,
        response: { 204: Type.Null({ description: 'Its link is dead.' }) },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        await revokeInvite(tx, actor, request.params.inviteId);
        return { status: 204, body: null };
      }),
  );
}
