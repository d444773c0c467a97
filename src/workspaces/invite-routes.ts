import { Type } from 'typebox';
import type { App } from '../app.ts';
import { actorOf, nextPageLink, type Server } from '../http/http.ts';
import { answerInTx } from '../http/idempotency.ts';
import { workspaceParams } from '../http/schema.ts';
import { inviteMember } from './invite-member.ts';
import { listInvites } from './queries.ts';
import { resendInvite } from './resend-invite.ts';
import { revokeInvite } from './revoke-invite.ts';
import { inviteMemberBody, inviteParams, inviteSchema, pageQuery } from './schema.ts';

const invites = '/v1/workspaces/:workspaceId/invites';
const tags = ['workspaces'];
const manage = { can: 'member.manage' } as const;

export function inviteRoutes(server: Server, app: App): void {
  invitingRoutes(server, app);
  pendingRoutes(server, app);
}

function invitingRoutes(server: Server, { db, clock }: App): void {
  server.post(
    invites,
    {
      config: { ...manage, errors: ['invite.already_member', 'invite.too_many'] },
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
    invites,
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
}

function pendingRoutes(server: Server, { db }: App): void {
  server.post(
    `${invites}/:inviteId/resend`,
    {
      config: { ...manage, errors: ['invite.not_found', 'invite.already_member'] },
      schema: {
        operationId: 'resendInvite',
        summary: 'Mail an invitation again',
        description:
          'With a new link, good for 7 days, also when the invitation ran out. Once a minute an invitation, else 429.',
        tags,
        params: inviteParams,
        response: { 200: inviteSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await resendInvite(tx, actor, request.params.inviteId),
      })),
  );

  server.delete(
    `${invites}/:inviteId`,
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
