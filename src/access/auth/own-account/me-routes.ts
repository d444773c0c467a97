import type { App } from '../../../app.ts';
import { together } from '../../../ground/database/db.ts';
import type { Server } from '../../../ground/http/http.ts';
import { forSignedIn } from '../../../ground/http/operation.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { getUser } from '../../accounts/queries.ts';
import { renameUser } from '../../accounts/rename-user.ts';
import { listWorkspaces } from '../../workspaces/queries.ts';
import { acceptInvitationAs } from '../joining/accept-invitation.ts';
import { meSchema, tokenBody, updateMeBody } from '../schema.ts';
import { tellWorkspacesOfMember } from '../tell-of-member.ts';

const signedIn = forSignedIn('accounts');

export function meRoutes(server: Server, app: App): void {
  const { db } = app;
  const readMe = async (userId: UserId) => {
    const [user, workspaces] = await together([getUser(db, userId), listWorkspaces(db, userId)]);
    return { user, workspaces };
  };

  signedIn.get(server, '/v1/me', {
    id: 'readMe',
    summary: 'Read your account and your workspaces',
    answers: { 200: meSchema },
    handler: ({ principal }) => readMe(principal.userId),
  });

  signedIn.patch(server, '/v1/me', {
    id: 'updateMe',
    summary: 'Change your name',
    description: 'Colleagues see the new name at once. Earlier messages keep the old name.',
    body: updateMeBody,
    answers: { 200: meSchema },
    handler: async ({ principal, body }) => {
      const { userId } = principal;
      await db.tx((tx) => renameUser(tx, userId, body.name || null));
      await tellWorkspacesOfMember(app, userId);
      return readMe(userId);
    },
  });

  signedIn.post(server, '/v1/me/accept-invite', {
    id: 'acceptOwnInvite',
    summary: 'Accept an invitation with the account that you are signed in to',
    description: 'For accounts without a password: sign in with the identity provider first.',
    errors: ['invite.address_mismatch', 'invite.already_member', 'workspace.too_many', 'auth.link_expired'],
    body: tokenBody,
    answers: { 200: meSchema },
    handler: async ({ principal, body }) => {
      const { userId } = principal;
      await acceptInvitationAs(app, { ...body, userId });
      return readMe(userId);
    },
  });
}
