import { newId, type WorkspaceId } from '../../src/ground/lib/ids.ts';
import { type Operation, prepared } from '../operation.ts';
import { drawText, messageVectorOf, ticketVectorOf } from '../sent-text.ts';
import { drawMember, drawWorkspace, workspaceId } from '../world.ts';

const statement = `
  with counter as (
    update ticket_counters set last_number = last_number + 1
    where workspace_id = $1
    returning last_number
  ),
  ticket as (
    insert into tickets (
      workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel, message_count,
      last_message_at, created_at, updated_at, version, search)
    select $1, $2, last_number, $4, 'open', 'normal', 2, 'api', 1, now(), now(), now(), 1, $5::tsvector
    from counter
    returning *
  ),
  message as (
    insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at)
    values ($1, $3, $2, 'outbound', 'agent', $6, now())
  ),
  words as (
    insert into unindexed_words (workspace_id, message_id, created_at, search)
    values ($1, $3, now(), $7::tsvector)
  )
  select id, ticket_number, subject, status, priority, assignee_id, tags, requester_id, channel, mailbox_id,
    archived_at, snoozed_until, merged_into_id, message_count, last_message_at, created_at, updated_at, version
  from ticket`;

export const createTicket: Operation = {
  name: 'create-ticket',
  method: 'POST',
  url: '/v1/workspaces/:workspaceId/tickets',
  isWrite: true,
  goal: { ratioMin: 0.6, spreadMax: 10 },
  want: (_world, random) => {
    const workspace = drawWorkspace(random);
    return {
      params: { workspaceId: workspaceId(workspace) },
      body: drawText(random),
      caller: drawMember(random, workspace),
    };
  },
  limit: async (pool, { params, body }) => {
    const { workspaceId: inWorkspace } = params as { workspaceId: WorkspaceId };
    const { subject, body: text } = body as { subject: string; body: string };
    const vectors = { ticket: ticketVectorOf(inWorkspace, subject), message: messageVectorOf(inWorkspace, text) };
    const values = [inWorkspace, newId(), newId(), subject, vectors.ticket, text, vectors.message];
    const [row] = await prepared(pool, 'create-ticket', statement, values);
    return row;
  },
};
