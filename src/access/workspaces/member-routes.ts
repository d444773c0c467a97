import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { roleMay } from '../../ground/catalog/permissions.ts';
import { pageOf, type Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { changeMember } from './change-member.ts';
import { listMembers, withSignIns } from './queries.ts';
import { changeMemberBody, memberParams, memberSchema, pageQuery } from './schema.ts';

const workspace = inWorkspace('workspaces');

export function memberRoutes(server: Server, { db, live }: App): void {
  workspace.get(server, '/members', {
    id: 'listMembers',
    summary: 'List the members of a workspace',
    description:
      'Oldest account first. The next page is in the `Link` header. Only owners and admins see `lastSeenAt` and ' +
      '`hasSecondFactor`, and no API key does.',
    can: 'member.read',
    query: pageQuery,
    answers: { 200: Type.Array(memberSchema) },
    handler: async ({ actor, query, url }, reply) => {
      const items = pageOf(await listMembers(db, actor, query), url, reply);
      return actor.keyId === null && roleMay(actor.role, 'member.manage') ? withSignIns(db, items) : items;
    },
  });

  workspace.patch(server, '/members/:userId', {
    id: 'changeRole',
    summary: 'Change a member’s role, and which tickets they see',
    description:
      'Only owners change owners, and the last owner stays. Both apply from the next request on. ' +
      'Pending invitations of the member that exceed the new role are revoked.',
    can: 'member.manage',
    errors: ['member.not_found', 'member.last_owner'],
    params: memberParams,
    body: changeMemberBody,
    answers: { 200: memberSchema },
    inTx: (tx, { actor, params, body }) => changeMember(tx, actor, { ...body, userId: params.userId }),
    afterwards: ({ params: { workspaceId, userId } }) =>
      live.signal({ workspaceId, userId: null, event: 'member', data: { userId } }),
  });
}
