import type { SpamReason } from '../../ground/catalog/spam.ts';
import type { Status } from '../../ground/catalog/ticket-status.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { shownColumns } from '../../ground/database/table-sql.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import type { ContactId, MessageId, TeamId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { searchVector } from '../../ground/lib/search-vector.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { defaultPriority, rankOfPriority } from './priority.ts';
import { type TicketRow, ticketOf } from './queries.ts';
import type { Ticket } from './schema.ts';
import { attachmentCount, type NewestMessage, newestMessage } from './summary.ts';

/** A missing field is that of an open ticket with one message, made now. */
export type NewTicket = {
  id: TicketId;
  /** See `takeTicketNumber`. */
  ticketNumber: number;
  workspaceId: WorkspaceId;
  subject: string;
  status?: Status;
  priority?: string;
  assigneeId?: UserId | null;
  teamId?: TeamId | null;
  tags?: readonly string[];
  requester: { id: ContactId; email: string; name: string | null } | null;
  channel: 'api' | 'email';
  mailboxId?: string | null;
  /** How many messages are written with the ticket. */
  messageCount?: number;
  createdAt?: Date;
  lastMessageAt?: Date;
  isImportOnly?: boolean;
  isArchived?: boolean;
  attachmentNames?: readonly string[];
  /** For a ticket that begins as spam: why, and the message that told nobody. */
  spam?: { reason: SpamReason; missedMessageId: MessageId | null } | undefined;
  /** If missing, the caller writes the row's summary of its messages. */
  firstMessage?: NewestMessage;
};

/**
 * Takes the next number of a workspace, for good: a ticket that is not created leaves a gap. The number need not reach
 * the disk by itself, because the commit of its ticket flushes it too.
 */
export async function takeTicketNumber(tx: Tx, workspaceId: WorkspaceId): Promise<number> {
  const { ticketNumber } = await tx.apart<{ ticketNumber: number }>(sql`
    update ticket_counters set last_number = last_number + 1
    from set_config('synchronous_commit', 'off', true)
    where workspace_id = ${workspaceId}
    returning last_number as "ticketNumber"`);
  return ticketNumber;
}

type InsertedRow = Omit<TicketRow, 'mergedIntoId' | 'requesterEmail' | 'requesterName'>;

export async function insertTicket(
  tx: Tx,
  { workspaceId, requester, firstMessage, ...made }: NewTicket,
): Promise<Ticket> {
  const { createdAt = tx.now, lastMessageAt = createdAt, spam, isImportOnly = false } = made;
  const spamAt = spam === undefined ? null : tx.now;
  const archivedAt = made.isArchived === true ? tx.now : spamAt;
  const waitingSince = firstMessage?.direction === 'inbound' ? createdAt : null;
  const { subject, priority = defaultPriority, tags = [], attachmentNames = [] } = made;
  const people = requester === null ? [] : [requester];
  const search = ticketSearchVector(workspaceId, { subject, people, attachmentNames });
  const row = await tx.one<InsertedRow>(sql`
    insert into tickets as t (workspace_id, id, ticket_number, subject, status, priority, priority_rank,
      assignee_id, team_id, tags, tag_keys, requester_id, channel, mailbox_id, message_count, last_message_at,
      created_at, updated_at, version, is_import_only, search, archived_at, spam_at, spam_reason,
      missed_message_id, summary_version, waiting_since,
      last_message_id, last_message_direction, last_message_author, last_message_snippet)
    values (${workspaceId}, ${made.id}, ${made.ticketNumber}, ${subject}, ${made.status ?? 'open'},
      ${priority}, ${rankOfPriority(priority)}, ${made.assigneeId ?? null},
      ${made.teamId ?? null}, ${tags}::text[],
      ${tags.map(caseKey)}::text[], ${requester?.id ?? null}, ${made.channel}, ${made.mailboxId ?? null},
      ${made.messageCount ?? 1}, ${lastMessageAt}, ${createdAt}, ${tx.now}, 1,
      ${isImportOnly}, ${search}::tsvector, ${archivedAt}::timestamptz, ${spamAt}::timestamptz,
      ${spam?.reason ?? null}, ${spam?.missedMessageId ?? null}::uuid, 1, ${waitingSince}::timestamptz,
      ${firstMessage === undefined ? sql`null, null, null, null` : newestMessage(firstMessage)})
    returning ${shownColumns('tickets', 't')}`);
  const requesterEmail = requester?.email ?? null;
  return ticketOf({ ...row, mergedIntoId: null, requesterEmail, requesterName: requester?.name ?? null });
}

/**
 * Adds participants to a ticket's conversation.
 * @param knownIds those of them who are not named by a stranger or an unproven mail alone
 * @returns how many take part anew, or are known from now on
 */
export async function addParticipants(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
  contactIds: readonly ContactId[],
  knownIds = contactIds,
): Promise<number> {
  if (contactIds.length === 0) return 0;
  return tx.run(sql`
    insert into ticket_participants (workspace_id, ticket_id, contact_id, is_known)
    select w.workspace_id, ${ticketId}::uuid, id, id = any(${knownIds}::uuid[])
    from ${workspaceRow}
    cross join (select distinct id from unnest(${contactIds}::uuid[]) id) c
    where w.workspace_id = ${workspaceId}
    on conflict (workspace_id, ticket_id, contact_id) do update set is_known = true
    where excluded.is_known and not ticket_participants.is_known`);
}

type SearchedTicket = {
  subject: string;
  people: readonly { email: string; name: string | null }[];
  attachmentNames: readonly string[];
};

/** The text by which search finds a ticket, beside its messages: subject before people before file names. */
export function ticketSearchVector(
  workspaceId: WorkspaceId,
  { subject, people, attachmentNames }: SearchedTicket,
): string {
  return searchVector(workspaceId, [
    { weight: 'A', text: subject },
    ...people.flatMap(({ name, email }) => [
      { weight: 'B' as const, text: name ?? '' },
      { weight: 'B' as const, text: email },
    ]),
    ...attachmentNames.map((text) => ({ weight: 'C' as const, text })),
  ]);
}

/** Rewrites the ticket's search vector and file count after its subject, people or files have changed. */
export async function refreshTicketSearch(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketId: TicketId,
): Promise<Pick<Ticket, 'attachmentCount'> | undefined> {
  const search = await readTicketSearch(tx, workspaceId, ticketId);
  return tx.maybe(sql`
    update tickets t set search = ${search}::tsvector, attachment_count = ${attachmentCount(workspaceId)}
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
    returning t.attachment_count as "attachmentCount"`);
}

const searchedPeopleMax = 1_000;
const searchedFilesMax = 500;

/** Builds a ticket's search vector from its rows. Of very many people it takes the requester and the newest. */
export async function readTicketSearch(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<string> {
  const found = await tx.one<SearchedTicket>(sql`
    select t.subject,
      coalesce((
        select json_agg(json_build_object('email', c.email, 'name', c.name)
          order by c.id = t.requester_id desc nulls last, c.id desc)
        from (
          (
            select p.contact_id as id from ticket_participants p
            where p.workspace_id = ${workspaceId} and p.ticket_id = ${ticketId}
            order by p.contact_id desc
            limit ${searchedPeopleMax}
          )
          union
          select r.requester_id from tickets r where r.workspace_id = ${workspaceId} and r.id = ${ticketId}
        ) people
        cross join lateral (
          select k.id, k.email, k.name from contacts k where k.workspace_id = ${workspaceId} and k.id = people.id
          union all
          -- Contacts that were merged into these people, because the mails bear their addresses.
          (
            select k.id, k.email, k.name from contacts k
            where k.workspace_id = ${workspaceId} and k.merged_into_id = people.id
            limit ${searchedPeopleMax}
          )
        ) c
      ), '[]') as people,
      array(
        select a.file_name from attachments a
        where a.workspace_id = ${workspaceId} and a.ticket_id = ${ticketId} and a.message_id is not null
        order by a.id
        limit ${searchedFilesMax}
      ) as "attachmentNames"
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`);
  return ticketSearchVector(workspaceId, found);
}
