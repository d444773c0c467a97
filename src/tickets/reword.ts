import { formerWord, mayHaveFormerWords } from '../contacts/former-words.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { sql } from '../platform/sql.ts';
import type { Sweep } from '../platform/sweep.ts';
import { messageSearchVector, refreshTicketSearch } from './rows.ts';

type Message = { workspaceId: WorkspaceId; id: string; body: string };

/** Makes the search vectors of messages anew that a former release has written, running on while this one had begun. */
export const rewordMessages: Sweep = async (tx, rowsMax) => {
  if (!(await mayHaveFormerWords(tx))) return 0;
  const messages = await tx.rows<Message>(sql`
    select m.workspace_id as "workspaceId", m.id, m.body
    from workspaces w
    join messages m on m.workspace_id = w.id and m.search @@ ${formerWord(sql`w.id`)}
    limit ${rowsMax}
    for no key update of m skip locked`);
  if (messages.length === 0) return 0;
  return tx.run(sql`
    update messages m set search = g.search::tsvector
    from unnest(${messages.map(({ workspaceId }) => workspaceId)}::uuid[], ${messages.map(({ id }) => id)}::uuid[],
      ${messages.map(({ workspaceId, body }) => messageSearchVector(workspaceId, body))}::text[]) g (workspace_id, id, search)
    where m.workspace_id = g.workspace_id and m.id = g.id`);
};

/** As `rewordMessages`, of tickets. */
export const rewordTickets: Sweep = async (tx, rowsMax) => {
  if (!(await mayHaveFormerWords(tx))) return 0;
  const tickets = await tx.rows<{ workspaceId: WorkspaceId; id: TicketId }>(sql`
    select t.workspace_id as "workspaceId", t.id
    from workspaces w
    join tickets t on t.workspace_id = w.id and t.search @@ ${formerWord(sql`w.id`)}
    limit ${rowsMax}
    for no key update of t skip locked`);
  for (const { workspaceId, id } of tickets) await refreshTicketSearch(tx, workspaceId, id);
  return tickets.length;
};
