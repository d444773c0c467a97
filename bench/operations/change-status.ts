import { connectionCount } from '../limit-pool.ts';
import { type Operation, prepared } from '../operation.ts';
import { drawMember, drawWrittenTicket, placeOf, workspaceId } from '../world.ts';

const statement = `
  with changed as (
    update tickets set status = $3, updated_at = now(), version = version + 1
    where workspace_id = $1 and id = $2
    returning *
  )
  select t.id, t.ticket_number, t.subject, t.status, t.priority, t.assignee_id, t.tags, c.email, c.name, t.channel,
    t.mailbox_id, t.archived_at, t.snoozed_until, t.merged_into_id, t.message_count, t.last_message_at, t.created_at,
    t.updated_at, t.version
  from changed t
  left join contacts c on c.workspace_id = $1 and c.id = t.requester_id`;

const ticketsEach = 300;

/** Closes random open tickets and reopens closed tickets, so that each request changes a status. */
export const changeStatus: Operation = {
  name: 'change-status',
  method: 'POST',
  url: '/v1/workspaces/:workspaceId/tickets/:ticketId/status',
  isWrite: true,
  goal: { ratioMin: 0.6, spreadMax: 10 },
  follow: async ({ world, pool, random, connection }) => {
    const places = Array.from({ length: ticketsEach }, () =>
      placeOf(world, drawWrittenTicket(random, world, connection, connectionCount)),
    );
    const { rows } = await pool.query<{ id: string; status: string }>(
      `select id, status
      from unnest($1::uuid[], $2::uuid[]) p (workspace_id, id)
      join tickets t using (workspace_id, id)`,
      [places.map(({ workspace }) => workspaceId(workspace)), places.map(({ id }) => id)],
    );
    const statuses = new Map(rows.map(({ id, status }) => [id, status]));
    return () => {
      const { workspace, id } = random.pick(places);
      const toStatus = statuses.get(id) === 'closed' ? 'open' : 'closed';
      statuses.set(id, toStatus);
      const params = { workspaceId: workspaceId(workspace), ticketId: id };
      return { params, body: { toStatus }, caller: drawMember(random, workspace) };
    };
  },
  limit: async (pool, { params, body }) => {
    const { workspaceId: inWorkspace, ticketId } = params as { workspaceId: string; ticketId: string };
    const { toStatus } = body as { toStatus: string };
    const [row] = await prepared(pool, 'change-status', statement, [inWorkspace, ticketId, toStatus]);
    return row;
  },
};
