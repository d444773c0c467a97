import type { App } from '../../app.ts';
import type { Server } from '../../http/http.ts';
import { clientOf } from '../client.ts';
import { handOver } from '../hand-over.ts';
import { acceptInviteBody, openedSessionSchema } from '../schema.ts';
import { acceptInvitation } from './accept-invitation.ts';

const tags = ['accounts'];

export function invitationRoutes(server: Server, app: App): void {
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
          'Creates a verified account if the address has none. An existing account gives its own password, ' +
          'or signs in and calls `acceptOwnInvite`. With a second factor the answer is 401 ' +
          '`auth.second_factor_required`, and the code accepts the invitation: see `startSession`.',
        tags,
        body: acceptInviteBody,
        response: { 200: openedSessionSchema },
      },
    },
    (request, reply) => {
      const { transport, ...invitation } = request.body;
      const accept = () => acceptInvitation(app, { ...invitation, client: clientOf(request) });
      return handOver(app, { request, reply, transport }, accept);
    },
  );
}
