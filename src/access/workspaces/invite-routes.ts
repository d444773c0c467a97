import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, nextPageLink, type Server } from '../../ground/http/http.ts';
import { type Answer, answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { handOver } from './hand-over.ts';
import { inviteMember } from './invite-member.ts';
import { listInvites } from './queries.ts';
import { resendInvite } from './resend-invite.ts';
import { revokeInvite } from './revoke-invite.ts';
import {
  inviteMemberBody,
  inviteParams,
  inviteSchema,
  pageQuery,
  type SentInvite,
  sentInviteSchema,
} from './schema.ts';

const invites = '/v1/workspaces/:workspaceId/invites';
const tags = ['workspaces'];
const manage = { can: 'member.manage' } as const;
const repeats = ['idempotency.secret_not_repeatable'] as const;

function sent(status: number, body: SentInvite): Answer {
  return { status, body, ...(body.link !== undefined && { holdsSecret: true }) };
}

export function inviteRoutes(server: Server, app: App): void {
  invitingRoutes(server, app);
  pendingRoutes(server, app);
}

function invitingRoutes(server: Server, { db, clock, config }: App): void {
  server.post(
    invites,
    {
      config: {
        ...manage,
        errors: ['invite.already_member', 'invite.too_many', 'workspace.recipient_limit', ...repeats],
      },
      schema: {
        operationId: 'inviteMember',
        summary: 'Invite a person by mail',
        description:
          'The link is valid for 7 days. Only owners invite owners. While the service sends no mail, the answer has ' +
          'a link for you to hand over.',
        tags,
        params: workspaceParams,
        body: inviteMemberBody,
        response: { 201: sentInviteSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const invite = await inviteMember(tx, actor, request.body);
        return sent(201, await handOver(tx, actor, { invite, config }));
      }),
  );

  server.get(
    invites,
    {
      config: manage,
      schema: {
        operationId: 'listInvites',
        summary: 'List the pending invitations of a workspace',
        description: 'Newest first. The next page is in the `Link` header.',
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

function pendingRoutes(server: Server, { db, config }: App): void {
  server.post(
    `${invites}/:inviteId/resend`,
    {
      config: { ...manage, errors: ['invite.not_found', 'invite.already_member', ...repeats] },
      schema: {
        operationId: 'resendInvite',
        summary: 'Mail an invitation again',
        description:
          'Sends a new link, valid for 7 days, even for an expired invitation. At most once a minute, else 429.',
        tags,
        params: inviteParams,
        response: { 200: sentInviteSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const invite = await resendInvite(tx, actor, request.params.inviteId);
        return sent(200, await handOver(tx, actor, { invite, config }));
      }),
  );

  server.delete(
    `${invites}/:inviteId`,
    {
      config: { ...manage, errors: ['invite.not_found'] },
      schema: {
        operationId: 'revokeInvite',
        summary: 'Revoke an invitation',
        tags,
        params: inviteParams,
        response: { 204: Type.Null({ description: 'Its link no longer works.' }) },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        await revokeInvite(tx, actor, request.params.inviteId);
        return { status: 204, body: null };
      }),
  );
}
