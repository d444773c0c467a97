import type { Random } from '../../emulators/random.ts';
import { shownOf, wireName } from '../../src/ground/catalog/tables/tables.ts';
import { type Operation, prepared } from '../operation.ts';
import { drawLongTicket, drawMember, drawReadTicket, placeOf, type World, workspaceId } from '../world.ts';
import { messageColumns, ticketColumns } from './answered-columns.ts';

type Row = Record<string, unknown>;

const statement = `
  select ${ticketColumns}, ${messageColumns}
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

/** A ticket with two hundred messages; other tickets have three. */
export const readLongTicket = reading('read-ticket-200', (_world, random) => drawLongTicket(random));

const fields = shownOf('tickets').map((column) => [wireName(column), column] as const);

function ticketOf(row: Row): Row {
  const { requesterId, lastMessageId, lastMessageDirection, lastMessageAuthor, lastMessageSnippet, ...shown } =
    Object.fromEntries(fields.map(([name, column]) => [name, row[column]]));
  return {
    ...shown,
    requester: { contactId: requesterId, email: row.email, name: row.name },
    lastMessage: {
      id: lastMessageId,
      direction: lastMessageDirection,
      authorName: lastMessageAuthor,
      snippet: lastMessageSnippet,
    },
  };
}

function messageOf(row: Row): Row {
  return {
    id: row.message_id,
    direction: row.direction,
    author: { type: row.author_type, userId: row.author_user_id, name: row.author_name, email: row.author_email },
    body: row.body,
    bodyHtml: row.body_html,
    replyText: row.reply_text,
    to: row.to_addresses,
    cc: row.cc_addresses,
    bcc: row.bcc_addresses,
    replyTo: row.reply_to_addresses,
    envelopeFrom: row.envelope_from,
    authentication: row.authentication,
    forwardOf: row.forward_of_id,
    delivery: {
      status: row.delivery_status,
      error: row.delivery_error,
      sentAt: row.delivery_sent_at,
      attempts: row.delivery_attempts,
      nextAttemptAt: row.delivery_next_attempt_at,
      handledAt: row.delivery_handled_at,
    },
    automaticKind: row.automatic_kind,
    truncated: row.truncated,
    redacted: { at: row.redacted_at, by: row.redacted_by },
    sentAt: row.sent_at,
    createdAt: row.written_at,
  };
}
