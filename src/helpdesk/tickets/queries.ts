import { isReadFromOutside } from '../../access/teams/owners-look.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { everything, type Scope } from '../../ground/catalog/scope.ts';
import { type Queryable, together } from '../../ground/database/db.ts';
import { quick, type Sql, sql } from '../../ground/database/sql.ts';
import { shownColumns } from '../../ground/database/table-sql.ts';
import { shownId, visible } from '../../ground/database/visible.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import type { DraftHead } from '../messages/draft-schema.ts';
import { listMessages, listNewestMessages } from '../messages/queries.ts';
import type { StoredMessage } from '../messages/schema.ts';
import type { ListedTicket, Ticket } from './schema.ts';

/** The summary of its messages in row `t` of a ticket, under wire names. */
export const summaryColumns: Sql = sql`t.last_message_id as "lastMessageId",
  t.last_message_direction as "lastMessageDirection", t.last_message_author as "lastMessageAuthor",
  t.last_message_snippet as "lastMessageSnippet", t.attachment_count as "attachmentCount",
  t.delivery_problem as "deliveryProblem", t.waiting_since as "waitingSince"`;

/** A ticket's columns under their wire names. `t` is the ticket, `c` its requester's contact. */
export function ticketColumns(scope: Scope): Sql {
  return sql`${shownColumns('tickets', 't')}, ${shownId(scope, sql`t.merged_into_id`)} as "mergedIntoId",
    c.email as "requesterEmail", c.name as "requesterName"`;
}

/** Columns of ticket `t` that differ for each member, with `unreadJoin`. One scan finds the few drafts of a member. */
export function memberColumns({ workspaceId, userId }: Actor): Sql {
  return sql`u.ticket_id is not null as unread,
    t.id in (
      select d.ticket_id from drafts d
      where d.workspace_id = ${workspaceId} and d.user_id = ${userId} and d.ticket_id is not null
    ) as "hasDraft"`;
}

/** Joins the row that makes ticket `t` unread for the member. A subquery for each row would take twice the time. */
export function unreadJoin({ workspaceId, userId }: Actor): Sql {
  return sql`left join unread_tickets u
    on u.workspace_id = ${workspaceId} and u.user_id = ${userId} and u.ticket_id = t.id`;
}

type Requester = NonNullable<Ticket['requester']>;
type LastMessage = NonNullable<Ticket['lastMessage']>;

export type TicketRow = Omit<Ticket, 'requester' | keyof Summary> &
  SummaryRow & {
    requesterId: Requester['contactId'] | null;
    requesterEmail: Requester['email'] | null;
    requesterName: Requester['name'];
  };
export type Summary = Pick<Ticket, 'lastMessage' | 'attachmentCount' | 'deliveryProblem' | 'waitingSince'>;
export type SummaryRow = Omit<Summary, 'lastMessage'> & {
  lastMessageId: LastMessage['id'] | null;
  lastMessageDirection: LastMessage['direction'] | null;
  lastMessageAuthor: LastMessage['authorName'];
  lastMessageSnippet: LastMessage['snippet'] | null;
};
export type ListedTicketRow = TicketRow & Pick<ListedTicket, 'unread' | 'hasDraft'>;

export function listedTicketOf(row: ListedTicketRow): ListedTicket {
  // Assigns instead of spreading, because a list has a hundred rows.
  const ticket = ticketOf(row) as ListedTicket;
  ticket.unread = row.unread;
  ticket.hasDraft = row.hasDraft;
  return ticket;
}

export function ticketOf(row: TicketRow): Ticket {
  // Copies each field by name: a list has a hundred rows, and omitting fields takes ten times as long.
  return {
    id: row.id,
    ticketNumber: row.ticketNumber,
    subject: row.subject,
    status: row.status,
    priority: row.priority,
    assigneeId: row.assigneeId,
    teamId: row.teamId,
    tags: row.tags,
    requester:
      row.requesterId === null || row.requesterEmail === null
        ? null
        : { contactId: row.requesterId, email: row.requesterEmail, name: row.requesterName },
    channel: row.channel,
    mailboxId: row.mailboxId,
    archivedAt: row.archivedAt,
    trashedAt: row.trashedAt,
    spamAt: row.spamAt,
    spamReason: row.spamReason,
    snoozedUntil: row.snoozedUntil,
    mergedIntoId: row.mergedIntoId,
    messageCount: row.messageCount,
    lastMessage: lastMessageOf(row),
    lastMessageAt: row.lastMessageAt,
    attachmentCount: row.attachmentCount,
    deliveryProblem: row.deliveryProblem,
    waitingSince: row.waitingSince,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
  };
}

function lastMessageOf(row: SummaryRow): Ticket['lastMessage'] {
  const { lastMessageId: id, lastMessageDirection: direction, lastMessageSnippet: snippet } = row;
  if (id === null || direction === null || snippet === null) return null;
  return { id, direction, authorName: row.lastMessageAuthor, snippet };
}

export function summaryOf(row: SummaryRow): Summary {
  const { attachmentCount, deliveryProblem, waitingSince } = row;
  return { lastMessage: lastMessageOf(row), attachmentCount, deliveryProblem, waitingSince };
}

type ReadBeside = {
  requesterChosenAt: string | null;
  /** Whether an owner reads the ticket of a restricted team that they are not in. */
  isFromOutside: boolean;
};

/**
 * Reads one ticket with its messages, oldest first, in one round trip. Returns undefined if the ticket is missing, or
 * in the trash while `trash` is false.
 */
export async function findTicketWithMessages(
  db: Queryable,
  actor: Actor,
  ticketId: TicketId,
  { newest, trash = false }: { newest?: number | undefined; trash?: boolean | undefined } = {},
): Promise<
  | (ListedTicket &
      ReadBeside & {
        drafts: DraftHead[];
        messages: StoredMessage[];
        earlierCursor: string | null;
      })
  | undefined
> {
  const { workspaceId } = actor;
  // Reads the ticket first. After a change between the two reads its version is stale, so no update slips past.
  const [found, page] = await together([
    db.maybe<ListedTicketRow & ReadBeside & { drafts: DraftHead[] | null }>(
      quick(sql`
      select ${ticketColumns(actor)}, ${memberColumns(actor)}, t.requester_chosen_at as "requesterChosenAt",
        (
          select json_agg(json_build_object('id', d.id, 'userId', d.user_id, 'kind', d.kind,
            'updatedAt', to_char(d.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by d.id)
          from drafts d
          where d.workspace_id = ${workspaceId} and d.ticket_id = ${ticketId}
        ) as drafts,
        ${isReadFromOutside(actor)} as "isFromOutside"
      from tickets t
      left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
      ${unreadJoin(actor)}
      where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and (${trash} or t.trashed_at is null)
        and ${visible(actor, 't')}`),
    ),
    newest === undefined
      ? listMessages(db, actor, ticketId).then((all) => ({ messages: all, earlierCursor: null }))
      : listNewestMessages(db, actor, { ticketId, limit: newest }),
  ]);
  if (found === undefined) return undefined;
  const { drafts, requesterChosenAt, isFromOutside } = found;
  return { ...listedTicketOf(found), drafts: drafts ?? [], requesterChosenAt, isFromOutside, ...page };
}

/** @returns undefined if the workspace has no ticket of this number */
export async function findTicketIdByNumber(
  db: Queryable,
  scope: Scope,
  ticketNumber: number,
): Promise<TicketId | undefined> {
  const { workspaceId } = scope;
  const found = await db.maybe<{ id: TicketId }>(
    quick(sql`
      select t.id from tickets t
      where t.workspace_id = ${workspaceId} and t.ticket_number = ${ticketNumber} and ${visible(scope, 't')}`),
  );
  return found?.id;
}

export async function hasTicket(
  db: Queryable,
  scope: Scope,
  ticketId: TicketId,
  { trash = false }: { trash?: boolean | undefined } = {},
): Promise<boolean> {
  const { workspaceId } = scope;
  const ticket = await db.maybe(sql`
    select from tickets
    where workspace_id = ${workspaceId} and id = ${ticketId} and (${trash} or trashed_at is null)
      and ${visible(scope, 'tickets')}`);
  return ticket !== undefined;
}

/** Those of the tickets that the scope shows. Asks nothing while it shows everything. */
export async function visibleAmong(
  db: Queryable,
  scope: Scope,
  ticketIds: readonly TicketId[],
): Promise<ReadonlySet<TicketId>> {
  if (scope.sight === everything || ticketIds.length === 0) return new Set(ticketIds);
  const seen = await db.rows<{ id: TicketId }>(sql`
    select t.id from tickets t
    where t.workspace_id = ${scope.workspaceId} and t.id = any(${ticketIds}::uuid[]) and ${visible(scope, 't')}`);
  return new Set(seen.map(({ id }) => id));
}
