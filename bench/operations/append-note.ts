import { newId, type WorkspaceId } from '../../src/ground/lib/ids.ts';
import { type Operation, prepared, userIdHeader } from '../operation.ts';
import { drawText, messageVectorOf } from '../sent-text.ts';
import { drawMember, drawWrittenTicket, placeOf, workspaceId } from '../world.ts';

const statement = `
  with ticket as (
    update tickets
    set message_count = message_count + 1, last_message_at = now(), updated_at = now(), version = version + 1
    where workspace_id = $1 and id = $2
    returning id
  ),
  words as (
    insert into unindexed_words (workspace_id, message_id, created_at, search)
    values ($1, $3, now(), $6::tsvector)
  )
  insert into messages (workspace_id, id, ticket_id, direction, author_type, author_user_id, body, created_at)
  select $1, $3, id, 'internal', 'agent', $4, $5, now()
  from ticket
  returning id, ticket_id, direction, author_type, author_user_id, body, to_addresses, cc_addresses, created_at`;

export const appendNote: Operation = {
  name: 'append-note',
  method: 'POST',
  url: '/v1/workspaces/:workspaceId/tickets/:ticketId/messages',
  isWrite: true,
  goal: { ratioMin: 0.6, spreadMax: 10 },
  want: (world, random) => {
    const { workspace, id } = placeOf(world, drawWrittenTicket(random, world, 0, 1));
    return {
      params: { workspaceId: workspaceId(workspace), ticketId: id },
      body: { body: drawText(random).body, isInternal: true },
      caller: drawMember(random, workspace),
    };
  },
  limit: async (pool, { params, body, headers }) => {
    const { workspaceId: inWorkspace, ticketId } = params as { workspaceId: WorkspaceId; ticketId: string };
    const { body: text } = body as { body: string };
    const values = [inWorkspace, ticketId, newId(), headers[userIdHeader], text, messageVectorOf(inWorkspace, text)];
    const [row] = await prepared(pool, 'append-note', statement, values);
    return row;
  },
};
