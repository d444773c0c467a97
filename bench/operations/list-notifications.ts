import { type Operation, prepared, userIdHeader } from '../operation.ts';
import { drawMember, largestWorkspace, workspaceId } from '../world.ts';

const statement = `
  select id, type, reference_id, message_id, actor_id, title, count, read_at, created_at
  from notifications
  where workspace_id = $1 and user_id = $2
  order by id desc
  limit 20`;

/** A full page: each member of the largest workspace has the same number at any size. */
export const listNotifications: Operation = {
  name: 'list-notifications',
  method: 'GET',
  url: '/v1/workspaces/:workspaceId/notifications',
  isWrite: false,
  goal: { ratioMin: 0.6 },
  want: (_world, random) => ({
    params: { workspaceId: workspaceId(largestWorkspace) },
    caller: drawMember(random, largestWorkspace),
  }),
  limit: async (pool, { params, headers }) => {
    const { workspaceId: inWorkspace } = params as { workspaceId: string };
    return { items: await prepared(pool, 'list-notifications', statement, [inWorkspace, headers[userIdHeader]]) };
  },
};
