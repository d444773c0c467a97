import type { App } from '../../../app.ts';
import { together } from '../../../ground/database/db.ts';
import { principalOf, type Server } from '../../../ground/http/http.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { getUser } from '../../accounts/queries.ts';
import { renameUser } from '../../accounts/rename-user.ts';
import { listWorkspaces } from '../../workspaces/queries.ts';
import { acceptInvitationAs } from '../joining/accept-invitation.ts';
import { meSchema, tokenBody, updateMeBody } from '../schema.ts';
import { tellWorkspacesOfMember } from '../tell-of-member.ts';

const tags = ['accounts'];

export function meRoutes(server: Server, app: App): void {
  const { db } = app;
  const readMe = async (userId: UserId) => {
    const [user, workspaces] = await together([getUser(db, userId), listWorkspaces(db, userId)]);
    return { user, workspaces };
  };

  server.get(
    '/v1/me',
    {
      config: { signedIn: true },
      schema: {
        operationId: 'readMe',
        summary: 'Read your account and your workspaces',
        tags,
        response: { 200: meSchema },
      },
    },
    (request) => readMe(principalOf(request).userId),
  );

  server.patch(
    '/v1/me',
    {
      config: { signedIn: true },
      schema: {
        operationId: 'updateMe',
        summary: 'Change your name',
        description: 'Colleagues see the new name at once. Earlier messages keep the old name.',
        tags,
        body: updateMeBody,
        response: { 200: meSchema },
      },
    },
    async (request) => {
      const { userId } = principalOf(request);
      await db.tx((tx) => renameUser(tx, userId, request.body.name || null));
      await tellWorkspacesOfMember(app, userId);
      return readMe(userId);
    },
  );

  server.post(
    '/v1/me/accept-invite',
    {
      config: {
        signedIn: true,
        errors: ['invite.address_mismatch', 'invite.already_member', 'workspace.too_many', 'auth.link_expired'],
      },
      schema: {
        operationId: 'acceptOwnInvite',
        summary: 'Accept an invitation with the account that you are signed in to',
        description: 'For accounts without a password: sign in with the identity provider first.',
        tags,
        body: tokenBody,
        response: { 200: meSchema },
      },
    },
    async (request) => {
      const { userId } = principalOf(request);
      await acceptInvitationAs(app, { ...request.body, userId });
      return readMe(userId);
    },
  );
}
