import { Type } from 'typebox';
import { memberParams } from '../../access/workspaces/schema.ts';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { departMember } from './depart.ts';

export function departureRoutes(server: Server, { db, live }: App): void {
  server.delete(
    '/v1/workspaces/:workspaceId/members/:userId',
    {
      config: { can: 'member.leave', errors: ['member.not_found', 'member.last_owner'] },
      schema: {
        operationId: 'removeMember',
        summary: 'Leave a workspace, or remove a member',
        description:
          'Everyone may remove themselves. Removing others needs `member.manage`; only owners may remove an owner. ' +
          'One owner must stay. The member’s tickets become unassigned, open ones at once. ' +
          'The member’s API keys and the invitations that they made stop working. Messages keep their author.',
        tags: ['workspaces'],
        params: memberParams,
        response: { 204: Type.Null({ description: 'The member is removed.' }) },
      },
    },
    async (request, reply) => {
      const { workspaceId, userId } = request.params;
      await answerInTx(db, request, reply, async (tx, actor) => {
        await departMember(tx, actor, userId);
        return { status: 204, body: null };
      });
      live.signal({ workspaceId, userId: null, event: 'member', data: { userId } });
    },
  );
}
