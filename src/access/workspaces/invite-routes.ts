import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { pageOf, type Server } from '../../ground/http/http.ts';
import { type Answered, answer, inWorkspace } from '../../ground/http/operation.ts';
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

const workspace = inWorkspace('workspaces');
const repeats = ['idempotency.secret_not_repeatable'] as const;

function sent(invite: SentInvite): Answered<SentInvite> {
  return answer(invite, invite.link === undefined ? {} : { holdsSecret: true });
}

export function inviteRoutes(server: Server, app: App): void {
  invitingRoutes(server, app);
  pendingRoutes(server, app);
}

function invitingRoutes(server: Server, { db, clock, config }: App): void {
  workspace.post(server, '/invites', {
    id: 'inviteMember',
    summary: 'Invite a person by mail',
    description:
      'The link is valid for 7 days. Only owners invite owners. While the service sends no mail, the answer has ' +
      'a link for you to hand over.',
    can: 'member.manage',
    errors: ['invite.already_member', 'invite.too_many', 'workspace.recipient_limit', ...repeats],
    body: inviteMemberBody,
    answers: { 201: sentInviteSchema },
    inTx: async (tx, { actor, body }) => {
      const invite = await inviteMember(tx, actor, body);
      return sent(await handOver(tx, actor, { invite, config }));
    },
  });

  workspace.get(server, '/invites', {
    id: 'listInvites',
    summary: 'List the pending invitations of a workspace',
    description: 'Newest first. The next page is in the `Link` header.',
    can: 'member.manage',
    query: pageQuery,
    answers: { 200: Type.Array(inviteSchema) },
    handler: async ({ actor, query, url }, reply) =>
      pageOf(await listInvites(db, actor, { ...query, now: clock.now() }), url, reply),
  });
}

function pendingRoutes(server: Server, { config }: App): void {
  workspace.post(server, '/invites/:inviteId/resend', {
    id: 'resendInvite',
    summary: 'Mail an invitation again',
    description: 'Sends a new link, valid for 7 days, even for an expired invitation. At most once a minute, else 429.',
    can: 'member.manage',
    errors: ['invite.not_found', 'invite.already_member', ...repeats],
    params: inviteParams,
    answers: { 200: sentInviteSchema },
    inTx: async (tx, { actor, params }) => {
      const invite = await resendInvite(tx, actor, params.inviteId);
      return sent(await handOver(tx, actor, { invite, config }));
    },
  });

  workspace.delete(server, '/invites/:inviteId', {
    id: 'revokeInvite',
    summary: 'Revoke an invitation',
    can: 'member.manage',
    errors: ['invite.not_found'],
    params: inviteParams,
    answers: { 204: Type.Null({ description: 'Its link no longer works.' }) },
    inTx: (tx, { actor, params }) => revokeInvite(tx, actor, params.inviteId),
  });
}
