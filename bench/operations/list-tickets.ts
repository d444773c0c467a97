import { type Operation, prepared } from '../operation.ts';
import { drawWorkspace, workspaceId } from '../world.ts';

const statement = `
  select t.id, t.ticket_number, t.subject, t.status, t.priority, t.assignee_id, t.tags, c.email, c.name, t.channel, t.mailbox_id,
    t.archived_at, t.snoozed_until, t.merged_into_id, t.message_count, t.last_message_at, t.created_at, t.updated_at, t.version
  from (
    select *
    from tickets
    where workspace_id = $1 and archived_at is null and merged_into_id is null
    order by last_message_at desc, id desc
    limit 100
  ) t
  left join contacts c on c.workspace_id = $1 and c.id = t.requester_id
  order by t.last_message_at desc, t.id desc`;

/** The inbox as it opens: the hundred tickets with the newest activity. Its total is the service's own addition. */
export const listTickets: Operation = {
  name: 'list-tickets',
  method: 'GET',
  url: '/v1/workspaces/:workspaceId/tickets',
  isWrite: false,
  want: (_world, random) => {
    const workspace = drawWorkspace(random);
    return { workspace, params: { workspaceId: workspaceId(workspace) } };
  },
  limit: (pool, { params }) => {
    const { workspaceId: inWorkspace } = params as { workspaceId: string };
    return prepared(pool, 'list-tickets', statement, [inWorkspace]);
  },
};
