import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { roleMay } from '../../ground/catalog/permissions.ts';
import { actorOf, nextPageLink, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { changeRole } from './change-role.ts';
import { listMembers, withSignIns } from './queries.ts';
import { changeRoleBody, memberParams, memberSchema, pageQuery } from './schema.ts';

const members = '/v1/workspaces/:workspaceId/members';
const tags = ['workspaces'];

export function memberRoutes(server: Server, { db, live }: App): void {
  server.get(
    members,
    {
      config: { can: 'member.read' },
      schema: {
        operationId: 'listMembers',
        summary: 'List the members of a workspace',
        description:
          'Oldest account first. The next page is in the `Link` header. Only owners and admins see `lastSeenAt` and ' +
          '`hasSecondFactor`, and no API key does.',
        tags,
        params: workspaceParams,
        querystring: pageQuery,
        response: { 200: Type.Array(memberSchema) },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { items, nextCursor } = await listMembers(db, actor, request.query);
      if (nextCursor !== undefined) reply.header('link', nextPageLink(request.url, nextCursor));
      return actor.keyId === null && roleMay(actor.role, 'member.manage') ? withSignIns(db, items) : items;
    },
  );

  server.patch(
    `${members}/:userId`,
    {
      config: { can: 'member.manage', errors: ['member.not_found', 'member.last_owner'] },
      schema: {
        operationId: 'changeRole',
        summary: 'Change a member’s role',
        description:
          'Only owners change owners, and the last owner stays. The role applies from the next request on. ' +
          'Pending invitations of the member that exceed the new role are revoked.',
        tags,
        params: memberParams,
        body: changeRoleBody,
        response: { 200: memberSchema },
      },
    },
    async (request, reply) => {
      const { workspaceId, userId } = request.params;
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await changeRole(tx, actor, { userId, role: request.body.role }),
      }));
      live.signal({ workspaceId, userId: null, event: 'member', data: { userId } });
    },
  );
}
