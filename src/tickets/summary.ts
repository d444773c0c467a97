import type { Status } from '../catalog/ticket-status.ts';
import { type Db, type Tx, together } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { messageIsOfPerson } from '../messages/of-person.ts';
import { snippetOf } from '../messages/snippet.ts';
import { type Summary, type SummaryRow, summaryColumns, summaryOf } from './queries.ts';
import type { NewMessage } from './rows.ts';

/** What a ticket's row keeps of its messages, so that lists read no messages. */

/** So few that their locks hold up nobody. */
const atOnceMax = 200;

/**
 * When a person wrote whom nobody has answered since, to ticket `t`, and not before it was closed. Of very many messages the
 * newest count.
 */
export function unansweredSince(workspaceId: WorkspaceId, closedAt: Sql = sql`t.closed_at`): Sql {
  return sql`(
    select min(m.created_at) filter (where m.direction = 'inbound' and m.author_type = 'customer' and ${messageIsOfPerson}
      and m.answers = 0 and coalesce(m.arrived_at, m.created_at) > coalesce(${closedAt}, '-infinity'::timestamptz))
    from (
      select m.created_at, m.arrived_at, m.direction, m.author_type, m.automatic_kind,
        count(*) filter (where m.direction = 'outbound') over (order by m.created_at desc, m.id desc) as answers
      from (
        select m.id, m.created_at, m.arrived_at, m.direction, m.author_type, m.automatic_kind
        from messages m
        where m.workspace_id = ${workspaceId} and m.ticket_id = t.id
        order by m.created_at desc, m.id desc
        limit 200
      ) m
    ) m)`;
}

/** The same as `waiting_since` has it. */
export function waitingWhereOpen(workspaceId: WorkspaceId): Sql {
  return sql`case when t.status <> 'closed' then ${unansweredSince(workspaceId)} end`;
}

/** Of the newest answer of ticket `t` that did not arrive, or may not have. */
function deliveryProblem(workspaceId: WorkspaceId): Sql {
  return sql`(
    select (array_agg(m.delivery_status order by m.created_at desc, m.id desc))[1]
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = t.id
      and m.delivery_status in ('failed', 'bounced', 'uncertain'))`;
}

/** How many files ticket `t` has. */
export function attachmentCount(workspaceId: WorkspaceId): Sql {
  return sql`(
    select count(*)
    from attachments a
    where a.workspace_id = ${workspaceId} and a.ticket_id = t.id and a.message_id is not null and not a.is_inline)`;
}

/**
 * Sets all of it for ticket `t`, from its messages.
 * @param waitingSince for an open ticket
 */
export function wholeSummary(workspaceId: WorkspaceId, waitingSince: Sql): Sql {
  return sql`(last_message_id, last_message_direction, last_message_author, last_message_snippet) = (
      select m.id, m.direction, m.author_name, ${snippetOf(sql`coalesce(m.reply_text, m.body)`)}
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = t.id
      order by m.created_at desc, m.id desc
      limit 1
    ),
    attachment_count = ${attachmentCount(workspaceId)}, delivery_problem = ${deliveryProblem(workspaceId)},
    waiting_since = ${waitingSince}`;
}

/** A message that is written as the newest of its ticket. */
export type NewestMessage = Pick<NewMessage, 'id' | 'direction' | 'author' | 'body'>;

/** Sets it. */
export function setNewestMessage(message: NewestMessage): Sql {
  return sql`(last_message_id, last_message_direction, last_message_author, last_message_snippet) =
    (${newestMessage(message)})`;
}

/** Its values: id, direction, author's name and beginning. */
export function newestMessage({ id, direction, author, body }: NewestMessage): Sql {
  const named = 'name' in author ? author.name : null;
  const userId = author.type === 'agent' ? author.userId : null;
  return sql`${id}::uuid, ${direction}::text,
    coalesce(${named}::text, (select u.name from users u where u.id = ${userId}::uuid)),
    ${snippetOf(sql`${body.slice(0, 1_000)}::text`)}`;
}

/** What becomes of `waiting_since` and `closed_at` as ticket `t` gets a status by other than a customer's mail. */
export function setWaiting(
  workspaceId: WorkspaceId,
  { status, isAnswered }: { status: Status; isAnswered: boolean },
): Sql {
  if (status === 'closed')
    return sql`waiting_since = null, closed_at = case when t.status = 'closed' then t.closed_at else clock_timestamp() end`;
  const waitingSince = isAnswered
    ? sql`null`
    : sql`case when t.status = 'closed' then ${unansweredSince(workspaceId, sql`null`)} else t.waiting_since end`;
  return sql`waiting_since = ${waitingSince}, closed_at = case when t.status <> 'closed' then t.closed_at end`;
}

/** For a statement that raises the version and leaves the messages as they are, or sets what has changed. */
export const keepsSummary: Sql = sql`summary_version = case when summary_version = version then version + 1 end`;

/** Writes again whether an answer of the ticket did not arrive. Its statement may be sent along with others. */
export async function refreshDeliveryProblem(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<void> {
  await tx.run(sql`
    update tickets t set delivery_problem = p.problem
    from (select ${deliveryProblem(workspaceId)} as problem from (select ${ticketId}::uuid as id) t) p
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and t.delivery_problem is distinct from p.problem`);
}

/** Writes all of it for a locked ticket. */
export async function summarise(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<Summary> {
  const row = await tx.one<SummaryRow>(sql`
    update tickets t
    set ${wholeSummary(workspaceId, waitingWhereOpen(workspaceId))}
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
    returning ${summaryColumns}`);
  return summaryOf(row);
}

/** Makes the summaries anew that a former release has left behind, or a restore of its data. */
export async function summariseTickets(db: Db): Promise<void> {
  while ((await db.tx(summariseSome)) === atOnceMax);
}

async function summariseSome(tx: Tx): Promise<number> {
  const stale = await tx.rows<{ workspaceId: WorkspaceId; id: TicketId }>(sql`
    select workspace_id as "workspaceId", id
    from tickets
    where summary_version is distinct from version
    order by workspace_id, id
    limit ${atOnceMax}
    for no key update skip locked`);
  const byWorkspace = Map.groupBy(stale, ({ workspaceId }) => workspaceId);
  await together(
    [...byWorkspace].map(([workspaceId, tickets]) =>
      tx.run(sql`
        update tickets t
        set ${wholeSummary(workspaceId, waitingWhereOpen(workspaceId))},
          summary_version = t.version
        where t.workspace_id = ${workspaceId} and t.id = any(${tickets.map(({ id }) => id)}::uuid[])`),
    ),
  );
  return stale.length;
}
