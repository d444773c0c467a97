import { newId } from '../../src/lib/ids.ts';
import { messageSearchVector, ticketSearchVector } from '../../src/tickets/rows.ts';
import { type Operation, prepared } from '../operation.ts';
import { drawWorkspace, sentText, workspaceId } from '../world.ts';

const textCount = 100;

const statement = `
  with counter as (
    update ticket_counters set last_number = last_number + 1
    where workspace_id = $1
    returning last_number
  ),
  ticket as (
    insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel, message_count,
      last_message_at, created_at, updated_at, version, search)
    select $1, $2, last_number, $4, 'open', 'normal', 2, 'api', 1, now(), now(), now(), 1, $5::tsvector
    from counter
    returning *
  ),
  message as (
    insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at, search)
    values ($1, $3, $2, 'outbound', 'agent', $6, now(), $7::tsvector)
  )
  select id, ticket_number, subject, status, priority, assignee_id, tags, requester_id, channel, mailbox_id, archived_at,
    snoozed_until, merged_into_id, message_count, last_message_at, created_at, updated_at, version
  from ticket`;

export const createTicket: Operation = {
  name: 'create-ticket',
  method: 'POST',
  url: '/v1/workspaces/:workspaceId/tickets',
  isWrite: true,
  want: (_world, random) => {
    const workspace = drawWorkspace(random);
    return { workspace, params: { workspaceId: workspaceId(workspace) }, body: sentText(random.below(textCount)) };
  },
  limit: async (pool, { params, body }) => {
    const { workspaceId: inWorkspace } = params as { workspaceId: string };
    const { subject, body: text } = body as { subject: string; body: string };
    const { ticket, message } = vectorsOf(inWorkspace, subject, text);
    const values = [inWorkspace, newId(), newId(), subject, ticket, text, message];
    const [row] = await prepared(pool, 'create-ticket', statement, values);
    return row;
  },
};

type Vectors = { ticket: string; message: string };
const known = new Map<string, Vectors>();

/** The rows are as large as the service's, but what makes them so is done once a text, not once a request. */
function vectorsOf(inWorkspace: string, subject: string, text: string): Vectors {
  const key = inWorkspace + subject;
  let vectors = known.get(key);
  if (vectors === undefined) {
    vectors = {
      ticket: ticketSearchVector(inWorkspace, { subject, people: [], attachmentNames: [] }),
      message: messageSearchVector(inWorkspace, text),
    };
    known.set(key, vectors);
  }
  return vectors;
}
