import type { Status } from '../../ground/catalog/ticket-status.ts';
import type { Db, Tx } from '../../ground/database/db.ts';
import { SNIPPET_READS, snippetOf } from '../../ground/database/snippet.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { NewMessage } from '../messages/insert-message.ts';
import { isAutomaticReply, messageIsOfPerson } from '../messages/of-person.ts';
import { isProblem } from '../messages/problems.ts';
import { type Summary, type SummaryRow, summaryColumns, summaryOf } from './queries.ts';
import type { Ticket } from './schema.ts';

/** Keeps a summary of its messages in a ticket's row, so that lists read no messages. */

/** Few enough that their locks block nobody for long. */
const atOnceMax = 200;

/** Whether message `m` counts among those of its ticket. A cancelled or scheduled answer has reached nobody. */
export const isCounted: Sql = sql`coalesce(m.delivery_status not in ('cancelled', 'scheduled'), true)`;

/** The newest messages of ticket `t`. */
function newestOf(workspaceId: WorkspaceId): Sql {
  return sql`(
    select m.id, m.created_at, m.arrived_at, m.direction, m.author_type, m.author_email, m.automatic_kind,
      m.to_addresses, m.cc_addresses, m.bcc_addresses, m.reply_to_addresses, m.delivered_to_addresses,
      m.delivery_status, m.is_file
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = t.id
    order by m.created_at desc, m.id desc
    limit 200
  )`;
}

/** Addresses in the case in which they are compared. */
function folded(addresses: Sql): Sql {
  return sql`array(select lower(address) from unnest(${addresses}) address)`;
}

/**
 * The time of the first customer message to ticket `t` that nobody has answered, since the ticket was last closed.
 * Looks only at the newest 200 messages.
 *
 * A mail answers a message if it goes to the requester, to the writer of the message, or to somebody else whom the
 * message names. So a forward to a supplier answers nobody. Nor does a mail that is scheduled, was cancelled,
 * failed or bounced, or became a file, nor an automatic reply. An answer that was not mailed counts.
 */
export function unansweredSince(workspaceId: WorkspaceId, closedAt: Sql = sql`t.closed_at`): Sql {
  return sql`(
    select min(m.created_at)
    from (
      select m.*, ${folded(sql`m.author_email || m.reply_to_addresses || array(
          select named from unnest(m.to_addresses || m.cc_addresses) named
          where named <> all (m.delivered_to_addresses)
        ) || (
          select c.email from contacts c where c.workspace_id = ${workspaceId} and c.id = t.requester_id
        )`)} as people
      from ${newestOf(workspaceId)} m
      where m.direction = 'inbound' and m.author_type = 'customer' and ${messageIsOfPerson}
        and coalesce(m.arrived_at, m.created_at) > coalesce(${closedAt}, '-infinity'::timestamptz)
    ) m
    where not exists (
      select
      from (
        select m.id, m.created_at, m.delivery_status is null as is_unmailed,
          ${folded(sql`m.to_addresses || m.cc_addresses || m.bcc_addresses`)} as recipients
        from ${newestOf(workspaceId)} m
        where m.direction = 'outbound' and not m.is_file and m.automatic_kind is null
          and (m.delivery_status is null or m.delivery_status not in ('scheduled', 'cancelled', 'failed', 'bounced'))
      ) a
      where (a.created_at, a.id) > (m.created_at, m.id)
        and (a.is_unmailed or a.recipients = '{}' or a.recipients && m.people)
    ))`;
}

/** The value of `waiting_since`: `unansweredSince`, but null for a closed ticket. */
export function waitingWhereOpen(workspaceId: WorkspaceId): Sql {
  return sql`case when t.status <> 'closed' then ${unansweredSince(workspaceId)} end`;
}

/** The status of the newest answer of ticket `t` that did not arrive, or may not have arrived, and is not handled. */
function deliveryProblem(workspaceId: WorkspaceId): Sql {
  return sql`(
    select (array_agg(m.delivery_status order by m.created_at desc, m.id desc))[1]
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = t.id and ${isProblem})`;
}

/** How many files ticket `t` has, without pictures inside texts. */
export function attachmentCount(workspaceId: WorkspaceId): Sql {
  return sql`(
    select count(*)
    from attachments a
    where a.workspace_id = ${workspaceId} and a.ticket_id = t.id and a.message_id is not null and not a.is_inline)`;
}

/**
 * Sets the whole summary of ticket `t` from its messages. An automatic reply is never its newest message, because lists
 * show what somebody wrote.
 * @param waitingSince the new `waiting_since`
 */
export function wholeSummary(workspaceId: WorkspaceId, waitingSince: Sql): Sql {
  return sql`(last_message_id, last_message_direction, last_message_author, last_message_snippet) = (
      select m.id, m.direction, m.author_name, ${snippetOf(sql`coalesce(m.reply_text, m.body)`)}
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = t.id and ${isCounted} and not ${isAutomaticReply}
      order by m.created_at desc, m.id desc
      limit 1
    ),
    attachment_count = ${attachmentCount(workspaceId)}, delivery_problem = ${deliveryProblem(workspaceId)},
    waiting_since = ${waitingSince}`;
}

/** A message that becomes the newest of its ticket. */
export type NewestMessage = Pick<NewMessage, 'id' | 'direction' | 'author' | 'body'>;

/** A message that is written along with its ticket. */
export type WrittenMessage = NewestMessage & {
  /** Whether nobody waits any more. Otherwise the caller looks again (`refreshWaiting`), or all stays as it is. */
  isAnswer: boolean;
};

/** Sets the columns of the newest message. */
export function setNewestMessage(message: NewestMessage): Sql {
  return sql`(last_message_id, last_message_direction, last_message_author, last_message_snippet) =
    (${newestMessage(message)})`;
}

/** The values of the newest message: id, direction, author's name and snippet. */
export function newestMessage({ id, direction, author, body }: NewestMessage): Sql {
  return sql`${id}::uuid, ${direction}::text, ${author.name}::text,
    ${snippetOf(sql`${body.slice(0, SNIPPET_READS)}::text`)}`;
}

/**
 * Sets `waiting_since` and `closed_at` when ticket `t` gets a status in another way than by a customer's mail.
 * Citus takes no volatile function in an update, and only immutable functions in a `case`.
 */
export function setWaiting(
  workspaceId: WorkspaceId,
  { status, isAnswered }: { status: Status; isAnswered: boolean },
): Sql {
  if (status === 'closed')
    return sql`waiting_since = null,
      closed_at = least(case when t.status = 'closed' then t.closed_at end, statement_timestamp())`;
  const waitingSince = isAnswered
    ? sql`null`
    : sql`case when t.status = 'closed' then ${unansweredSince(workspaceId, sql`null`)} else t.waiting_since end`;
  return sql`waiting_since = ${waitingSince}, closed_at = case when t.status <> 'closed' then t.closed_at end`;
}

/** For statements that raise the version and leave messages unchanged, or update the summary themselves. */
export const keepsSummary: Sql = sql`summary_version = case when summary_version = version then version + 1 end`;

/** Recomputes whether an answer of the ticket did not arrive. */
export async function refreshDeliveryProblem(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<void> {
  await tx.run(sql`
    update tickets t set delivery_problem = p.problem
    from (select ${deliveryProblem(workspaceId)} as problem from (select ${ticketId}::uuid as id) t) p
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and t.delivery_problem is distinct from p.problem`);
}

/** Recomputes since when somebody waits, once a message is written. */
export async function refreshWaiting(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketId: TicketId,
): Promise<Pick<Summary, 'waitingSince'>> {
  return tx.one<Pick<Summary, 'waitingSince'>>(sql`
    update tickets t set waiting_since = ${waitingWhereOpen(workspaceId)}
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
    returning t.waiting_since as "waitingSince"`);
}

/** Counts the messages of a locked ticket anew, and rewrites its summary. */
export async function recount(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketId: TicketId,
): Promise<Summary & Pick<Ticket, 'messageCount' | 'lastMessageAt'>> {
  const row = await tx.one<SummaryRow & Pick<Ticket, 'messageCount' | 'lastMessageAt'>>(sql`
    update tickets t
    set message_count = c.messages, last_message_at = coalesce(c.last_at, t.created_at),
      ${wholeSummary(workspaceId, waitingWhereOpen(workspaceId))}
    from (
      select count(*)::integer as messages, max(m.created_at) as last_at
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and ${isCounted}
    ) c
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
    returning ${summaryColumns}, t.message_count as "messageCount", t.last_message_at as "lastMessageAt"`);
  const { messageCount, lastMessageAt } = row;
  return { ...summaryOf(row), messageCount, lastMessageAt };
}

/** Rewrites the whole summary of a locked ticket. */
export async function summarise(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<Summary> {
  const row = await tx.one<SummaryRow>(sql`
    update tickets t
    set ${wholeSummary(workspaceId, waitingWhereOpen(workspaceId))}
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
    returning ${summaryColumns}`);
  return summaryOf(row);
}

/** Rewrites stale summaries. A migration that changes what a summary says sets `summary_version` to null. */
export async function summariseTickets(db: Db): Promise<void> {
  while ((await db.tx(summariseSome)) === atOnceMax);
}

async function summariseSome(tx: Tx): Promise<number> {
  const stale = await tx.rows<{ workspaceId: WorkspaceId; id: TicketId }>(sql`
    select workspace_id as "workspaceId", id
    from tickets
    where summary_version is distinct from version
    order by workspace_id, id
    limit ${atOnceMax}`);
  let done = 0;
  for (const [workspaceId, tickets] of Map.groupBy(stale, (ticket) => ticket.workspaceId)) {
    const locked = await tx.rows<{ id: TicketId }>(sql`
      select id from tickets
      where workspace_id = ${workspaceId} and id = any(${tickets.map(({ id }) => id)}::uuid[])
      order by id
      for no key update skip locked`);
    done += await tx.run(sql`
      update tickets t
      set ${wholeSummary(workspaceId, waitingWhereOpen(workspaceId))},
        summary_version = t.version
      where t.workspace_id = ${workspaceId} and t.id = any(${locked.map(({ id }) => id)}::uuid[])`);
  }
  return done;
}
