import type { Random } from '../../emulators/random.ts';
import { type Operation, prepared } from '../operation.ts';
import { drawLongTicket, drawMember, drawReadTicket, placeOf, type World, workspaceId } from '../world.ts';

type Row = Record<string, unknown>;

const statement = `
  select t.id, t.ticket_number, t.subject, t.status, t.priority, t.assignee_id, t.tags, c.email, c.name, t.channel,
    t.mailbox_id, t.archived_at, t.snoozed_until, t.merged_into_id, t.message_count, t.last_message_at, t.created_at,
    t.updated_at, t.version, m.id as message_id, m.direction, m.author_type, m.author_user_id, m.author_name,
    m.author_email, m.body, m.body_html,
    m.to_addresses, m.cc_addresses, m.delivery_status, m.created_at as written_at
  from tickets t
  left join contacts c on c.workspace_id = $1 and c.id = t.requester_id
  left join messages m on m.workspace_id = $1 and m.ticket_id = t.id
  where t.workspace_id = $1 and t.id = $2
  order by m.created_at, m.id`;

function reading(name: string, draw: (world: World, random: Random) => number): Operation {
  return {
    name,
    method: 'GET',
    url: '/v1/workspaces/:workspaceId/tickets/:ticketId',
    isWrite: false,
    goal: { ratioMin: 0.6, spreadMax: 5 },
    want: (world, random) => {
      const { workspace, id } = placeOf(world, draw(world, random));
      return {
        params: { workspaceId: workspaceId(workspace), ticketId: id },
        caller: drawMember(random, workspace),
      };
    },
    limit: async (pool, { params }) => {
      const { workspaceId: inWorkspace, ticketId } = params as { workspaceId: string; ticketId: string };
      const rows = await prepared<Row>(pool, 'read-ticket', statement, [inWorkspace, ticketId]);
      return { ...ticketOf(rows[0] ?? {}), messages: rows.map(messageOf) };
    },
  };
}

export const readTicket = reading('read-ticket', (world, random) => drawReadTicket(random, world));

/** A ticket with two hundred messages; the others have three. */
export const readLongTicket = reading('read-ticket-200', (_world, random) => drawLongTicket(random));

function ticketOf(row: Row): Row {
  return {
    id: row.id,
    ticketNumber: row.ticket_number,
    subject: row.subject,
    status: row.status,
    priority: row.priority,
    assigneeId: row.assignee_id,
    tags: row.tags,
    requester: { email: row.email, name: row.name },
    channel: row.channel,
    mailboxId: row.mailbox_id,
    archivedAt: row.archived_at,
    snoozedUntil: row.snoozed_until,
    mergedIntoId: row.merged_into_id,
    messageCount: row.message_count,
    lastMessageAt: row.last_message_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

function messageOf(row: Row): Row {
  return {
    id: row.message_id,
    direction: row.direction,
    authorType: row.author_type,
    authorUserId: row.author_user_id,
    authorName: row.author_name,
    authorEmail: row.author_email,
    body: row.body,
    bodyHtml: row.body_html,
    to: row.to_addresses,
    cc: row.cc_addresses,
    deliveryStatus: row.delivery_status,
    createdAt: row.written_at,
  };
}
