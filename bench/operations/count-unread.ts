import { type Operation, prepared, userIdHeader } from '../operation.ts';
import { drawMember, drawWorkspace, workspaceId } from '../world.ts';

const statement = `
  select count(*) as count
  from notifications
  where workspace_id = $1 and user_id = $2 and read_at is null`;

export const countUnread: Operation = {
  name: 'count-unread',
  method: 'GET',
  url: '/v1/workspaces/:workspaceId/notifications/unread-count',
  isWrite: false,
  goal: { ratioMin: 0.6 },
  want: (_world, random) => {
    const workspace = drawWorkspace(random);
    return { params: { workspaceId: workspaceId(workspace) }, caller: drawMember(random, workspace) };
  },
  limit: async (pool, { params, headers }) => {
    const { workspaceId: inWorkspace } = params as { workspaceId: string };
    const [row] = await prepared(pool, 'count-unread', statement, [inWorkspace, headers[userIdHeader]]);
    return row;
  },
};
