import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { answerWithSession } from '../answer-with-session.ts';
import { clientOf } from '../client.ts';
import { acceptInviteBody, openedSessionSchema, shownInviteSchema, tokenBody } from '../schema.ts';
import { acceptInvitation, getInvite } from './accept-invitation.ts';

const tags = ['accounts'];

export function invitationRoutes(server: Server, app: App): void {
  server.post(
    '/v1/auth/read-invite',
    {
      config: { public: true, errors: ['auth.link_expired'] },
      schema: {
        operationId: 'readInvite',
        summary: 'Read an invitation by the token of its link',
        description: 'Spends nothing.',
        tags,
        body: tokenBody,
        response: { 200: shownInviteSchema },
      },
    },
    async (request) => {
      const { email, workspaceName, inviterName, inviterEmail } = await getInvite(app, request.body.token);
      return { email, workspaceName, inviter: inviterName ?? inviterEmail };
    },
  );

  server.post(
    '/v1/auth/accept-invite',
    {
      config: {
        public: true,
        errors: [
          'auth.invalid_credentials',
          'auth.second_factor_required',
          'invite.address_mismatch',
          'invite.already_member',
          'workspace.too_many',
          'auth.link_expired',
          'auth.cross_site',
        ],
      },
      schema: {
        operationId: 'acceptInvite',
        summary: 'Accept an invitation, and sign in',
        description:
          'Creates an account if the address has none. A mailed link verifies the address. If the account exists, ' +
          'send its password, or sign in ' +
          'and call `acceptOwnInvite`. If the account has a second factor, the answer is 401 ' +
          '`auth.second_factor_required`. Sending the code to `startSession` then accepts the invitation.',
        tags,
        body: acceptInviteBody,
        response: { 200: openedSessionSchema },
      },
    },
    (request, reply) => {
      const { transport, ...invitation } = request.body;
      return answerWithSession(app, { request, reply, transport }, () =>
        acceptInvitation(app, { ...invitation, client: clientOf(request) }),
      );
    },
  );
}
