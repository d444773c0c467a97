import { Type } from 'typebox';
import { memberParams } from '../../access/workspaces/schema.ts';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { departMember } from './depart.ts';

const workspace = inWorkspace('workspaces');

export function departureRoutes(server: Server, { live }: App): void {
  workspace.delete(server, '/members/:userId', {
    id: 'removeMember',
    summary: 'Leave a workspace, or remove a member',
    description:
      'Everyone may remove themselves. Removing others needs `member.manage`; only owners may remove an owner. ' +
      'One owner must stay. The member’s tickets become unassigned, open ones at once. ' +
      'The member’s API keys and the invitations that they made stop working. Messages keep their author.',
    can: 'member.leave',
    errors: ['member.not_found', 'member.last_owner'],
    params: memberParams,
    answers: { 204: Type.Null({ description: 'The member is removed.' }) },
    inTx: (tx, { actor, params }) => departMember(tx, actor, params.userId),
    afterwards: ({ params: { workspaceId, userId } }) =>
      live.signal({ workspaceId, userId: null, event: 'member', data: { userId } }),
  });
}
