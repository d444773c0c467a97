import { createHash } from 'node:crypto';
import type { ContactId, MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { type Tx, together } from '../platform/db.ts';
import { type Sql, sql } from '../platform/sql.ts';
import type { Status } from './status.ts';

/** A ticket that a mail may belong to, locked until the commit. */
export type MailTicket = {
  id: TicketId;
  ticketNumber: number;
  subject: string;
  status: Status;
  assigneeId: string | null;
  archivedAt: string | null;
  snoozedUntil: string | null;
  requesterId: ContactId | null;
  isImportOnly: boolean;
  /** Whether the mail's writer takes part in the conversation. */
  isSenderKnown: boolean;
  /** The first message in time; of two at the same instant the one whose mail has the lesser fingerprint. */
  oldest: { at: string; fingerprint: string } | null;
  /** Which of the mail's ids led here. */
  matchedIds: string[];
};

/** An index row holds 2,704 bytes; longer ids are known by their hash. */
const plainBytesMax = 512;
const attemptsMax = 5;
const recentMax = 50;

/** A Message-ID as `mail_ids` keeps it. */
export function mailIdKey(rfcMessageId: string): string {
  if (Buffer.byteLength(rfcMessageId) <= plainBytesMax) return rfcMessageId;
  return `sha256:${createHash('sha256').update(rfcMessageId).digest('hex')}`;
}

/**
 * The tickets whose mail has these Message-IDs or named them, each once. An id goes where its message is now; a merged
 * ticket's to the last survivor.
 */
export async function findTicketsOfMailIds(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ids, senderId }: { ids: readonly string[]; senderId: ContactId | null },
): Promise<MailTicket[]> {
  if (ids.length === 0) return [];
  const idsByKey = new Map(ids.map((id) => [mailIdKey(id), id]));
  const keys = [...idsByKey.keys()];
  const named = sql`
    select i.rfc_message_id, coalesce(m.ticket_id, i.ticket_id)
    from mail_ids i
    left join messages m on m.workspace_id = ${workspaceId} and m.id = i.message_id
    where i.workspace_id = ${workspaceId} and i.rfc_message_id = any(${keys}::text[])`;
  const rows = await lockMailTickets(tx, workspaceId, named, senderId);
  return rows.map((row) => ({ ...row, matchedIds: row.matchedIds.map((key) => idsByKey.get(key) ?? key) }));
}

/** Tickets in which a person wrote or was named since, newest activity first: for mail that names no id. */
export async function findRecentTicketsOf(
  tx: Tx,
  workspaceId: WorkspaceId,
  { contactId, since }: { contactId: ContactId; since: Date },
): Promise<{ id: TicketId; subject: string }[]> {
  return tx.rows(sql`
    select t.id, t.subject
    from ticket_participants p
    join tickets t on t.workspace_id = ${workspaceId} and t.id = p.ticket_id
    where p.workspace_id = ${workspaceId} and p.contact_id = ${contactId} and t.merged_into_id is null
      and t.last_message_at > ${since}
    order by t.last_message_at desc, t.id desc
    limit ${recentMax}`);
}

/** One ticket, chosen by other signs than ids; none when it is gone. */
export async function lockMailTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticketId, senderId }: { ticketId: TicketId; senderId: ContactId | null },
): Promise<MailTicket | undefined> {
  const [ticket] = await lockMailTickets(tx, workspaceId, sql`select ''::text, ${ticketId}::uuid`, senderId);
  return ticket === undefined ? undefined : { ...ticket, matchedIds: [] };
}

/** @param named rows of an id and the ticket that it leads to, before merges are followed */
async function lockMailTickets(
  tx: Tx,
  workspaceId: WorkspaceId,
  named: Sql,
  senderId: ContactId | null,
): Promise<MailTicket[]> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const [rows, known] = await together([
      tx.rows<MailTicket>(sql`
        with recursive named (key, ticket_id) as (${named}),
        chain (key, ticket_id) as (
          select key, ticket_id from named
          union
          select c.key, t.merged_into_id
          from chain c
          join tickets t on t.workspace_id = ${workspaceId} and t.id = c.ticket_id
          where t.merged_into_id is not null
        ), reached (ticket_id, keys) as (
          select ticket_id, array_agg(key) from chain group by ticket_id
        )
        select t.id, t.ticket_number as "ticketNumber", t.subject, t.status, t.assignee_id as "assigneeId",
          t.archived_at as "archivedAt", t.snoozed_until as "snoozedUntil", t.requester_id as "requesterId",
          t.is_import_only as "isImportOnly", r.keys as "matchedIds",
          exists (
            select from ticket_participants p
            where p.workspace_id = ${workspaceId} and p.ticket_id = t.id and p.contact_id = ${senderId}::uuid
          ) as "isSenderKnown",
          (${oldestMessage(workspaceId)}) as oldest
        from reached r
        join tickets t on t.workspace_id = ${workspaceId} and t.id = r.ticket_id
        where t.merged_into_id is null
        order by t.id
        for update of t`),
      tx.maybe(sql`with named (key, ticket_id) as (${named}) select from named limit 1`),
    ]);
    // A ticket that was merged away while its lock was awaited drops out of the result: then look where it went.
    if (rows.length > 0 || known === undefined) return rows;
  }
  throw new Error('the ticket of a mail is merged away faster than it can be followed');
}

/** Whether a message with this Message-ID is here already. */
export async function isMailIdTaken(tx: Tx, workspaceId: WorkspaceId, rfcMessageId: string): Promise<boolean> {
  const taken = await tx.maybe(sql`
    select from mail_ids
    where workspace_id = ${workspaceId} and rfc_message_id = ${mailIdKey(rfcMessageId)} and message_id is not null`);
  return taken !== undefined;
}

/**
 * The oldest message of ticket `t` as JSON; only imports ask, so live tickets are spared the look. Two probes of an index:
 * sorted by both, PostgreSQL reads at least 32 messages.
 */
function oldestMessage(workspaceId: WorkspaceId): Sql {
  return sql`
    select json_build_object('at', to_char(o.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'fingerprint', coalesce(o.threading->>'fingerprint', ''))
    from messages o
    where o.workspace_id = ${workspaceId} and o.ticket_id = t.id and t.is_import_only
      and o.created_at = (
        select min(f.created_at) from messages f where f.workspace_id = ${workspaceId} and f.ticket_id = t.id
      )
    order by o.threading->>'fingerprint' collate "C"
    limit 1`;
}

/** Notes every id that a mail of the ticket named. Its own points to its message, unless another message has it already. */
export async function nameMailIds(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
  { ids, own }: { ids: readonly string[]; own: { id: string; messageId: MessageId } | null },
): Promise<void> {
  const keys = [...new Set([...ids, ...(own === null ? [] : [own.id])].map(mailIdKey))];
  if (keys.length === 0) return;
  const ownKey = own === null ? null : mailIdKey(own.id);
  await tx.run(sql`
    insert into mail_ids (workspace_id, rfc_message_id, ticket_id, message_id)
    select ${workspaceId}, key, ${ticketId}, case when key = ${ownKey}::text then ${own?.messageId ?? null}::uuid end
    from unnest(${keys}::text[]) key
    on conflict (workspace_id, rfc_message_id) do update
    set ticket_id = excluded.ticket_id, message_id = excluded.message_id
    where excluded.message_id is not null and mail_ids.message_id is null`);
}
