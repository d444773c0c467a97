import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { forEveryone } from '../../../ground/http/operation.ts';
import { answerWithSession } from '../answer-with-session.ts';
import { clientOf } from '../client.ts';
import { acceptInviteBody, openedSessionSchema, shownInviteSchema, tokenBody } from '../schema.ts';
import { acceptInvitation, getInvite } from './accept-invitation.ts';

const everyone = forEveryone('accounts');

export function invitationRoutes(server: Server, app: App): void {
  everyone.post(server, '/v1/auth/read-invite', {
    id: 'readInvite',
    summary: 'Read an invitation by the token of its link',
    description: 'Spends nothing.',
    errors: ['auth.link_expired'],
    body: tokenBody,
    answers: { 200: shownInviteSchema },
    handler: async ({ body }) => {
      const { email, workspaceName, inviterName, inviterEmail } = await getInvite(app, body.token);
      return { email, workspaceName, inviter: inviterName ?? inviterEmail };
    },
  });

  everyone.post(server, '/v1/auth/accept-invite', {
    id: 'acceptInvite',
    summary: 'Accept an invitation, and sign in',
    description:
      'Creates an account if the address has none. A mailed link verifies the address. If the account exists, ' +
      'send its password, or sign in ' +
      'and call `acceptOwnInvite`. If the account has a second factor, the answer is 401 ' +
      '`auth.second_factor_required`. Sending the code to `startSession` then accepts the invitation.',
    errors: [
      'auth.invalid_credentials',
      'auth.second_factor_required',
      'invite.address_mismatch',
      'invite.already_member',
      'workspace.too_many',
      'auth.link_expired',
      'auth.cross_site',
    ],
    body: acceptInviteBody,
    answers: { 200: openedSessionSchema },
    handler: (request, reply) => {
      const { transport, ...invitation } = request.body;
      return answerWithSession(app, { request, reply, transport }, () =>
        acceptInvitation(app, { ...invitation, client: clientOf(request) }),
      );
    },
  });
}
