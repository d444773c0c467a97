import { isSampleTicket } from '../../../events/samples/marks.ts';
import type { Status } from '../../../ground/catalog/ticket-status.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import { type Sql, sql } from '../../../ground/database/sql.ts';
import type { ContactId, MessageId, TeamId, TicketId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { mailIdKey } from '../../../helpdesk/messages/mail-ids.ts';
import type { Ticket } from '../../../helpdesk/tickets/schema.ts';

/** A ticket that a mail may belong to, locked until the commit. */
export type MailTicket = {
  id: TicketId;
  teamId: TeamId | null;
  subject: string;
  status: Status;
  archivedAt: string | null;
  spamAt: string | null;
  snoozedUntil: string | null;
  requesterId: ContactId | null;
  isImportOnly: boolean;
  /** Whether the mail's author takes part in the conversation, not merely because a stranger named them. */
  isSenderKnown: boolean;
  /** The earliest message. Of two messages at the same instant, the message whose mail has the lesser fingerprint. */
  oldest: { at: string; fingerprint: string } | null;
  /** The ids of the mail that led to this ticket. */
  matchedIds: string[];
  /** The matched ids that belong to messages. The other ids were only named by mails of the ticket. */
  messageIds: string[];
};

const recentMax = 50;

/**
 * Finds the tickets whose mail has or names these Message-IDs, each ticket once.
 * An id leads to the ticket where its message is now, and past merges to the last survivor. From a ticket in the trash
 * it leads to the ticket that continued it, if any.
 */
export async function findTicketsOfMailIds(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ids, senderId }: { ids: readonly string[]; senderId: ContactId | null },
): Promise<MailTicket[]> {
  if (ids.length === 0) return [];
  const idsByKey = new Map(ids.map((id) => [mailIdKey(id), id]));
  const named = sql`
    select i.rfc_message_id as key, i.message_id is not null as "isMessage", coalesce((
        select m.ticket_id from messages m where m.workspace_id = ${workspaceId} and m.id = i.message_id
      ), i.ticket_id) as "ticketId"
    from mail_ids i
    where i.workspace_id = ${workspaceId} and i.rfc_message_id = any(${[...idsByKey.keys()]}::text[])`;
  const ofMessages = new Set<string>();
  const find = async () => {
    const rows = await tx.rows<{ key: string; ticketId: TicketId; isMessage: boolean }>(
      sql`${named} order by i.rfc_message_id`,
    );
    const leads = new Map<TicketId, string[]>();
    for (const { key, ticketId, isMessage } of rows) {
      const id = idsByKey.get(key) ?? key;
      lead(leads, ticketId, [id]);
      if (isMessage) ofMessages.add(id);
    }
    return leads;
  };
  // Finds and locks in one round trip, because an import does so for each mail.
  const lock = () => lockTickets(tx, workspaceId, sql`array(select n."ticketId" from (${named}) n)`, senderId);
  const tickets = await lockFound(tx, workspaceId, { find, lock, senderId });
  return tickets.map((ticket) => ({ ...ticket, messageIds: ticket.matchedIds.filter((id) => ofMessages.has(id)) }));
}

type Search = {
  /** Finds the tickets, and the ids that lead to each. */
  find: () => Promise<Map<TicketId, string[]>>;
  /** Locks the tickets that `find` names. */
  lock: () => Promise<LockedTicket[]>;
  senderId: ContactId | null;
};

/**
 * Finds tickets and locks them, then searches again.
 * While this transaction waited for the locks, a split or an unmerge may have moved a message elsewhere.
 * Only agents do that, so an import whose tickets are all untouched skips the second search.
 */
async function lockFound(tx: Tx, workspaceId: WorkspaceId, { find, lock, senderId }: Search): Promise<MailTicket[]> {
  let [leads, locked] = await together([find(), lock()]);
  for (;;) {
    const tickets = await lockMailTickets(tx, workspaceId, { leads, locked, senderId });
    if (tickets.every(({ isImportOnly }) => isImportOnly)) return tickets;
    const now = await find();
    if (JSON.stringify([...now]) === JSON.stringify([...leads])) return tickets;
    leads = now;
    locked = [];
  }
}

/** For mail that names no id: the tickets in which a person took part since then, newest first, without samples. */
export async function findRecentTicketsOf(
  tx: Tx,
  workspaceId: WorkspaceId,
  { contactId, since }: { contactId: ContactId; since: Date },
): Promise<{ id: TicketId; subject: string; isSpam: boolean }[]> {
  return tx.rows(sql`
    select t.id, t.subject, t.spam_at is not null as "isSpam"
    from ticket_participants p
    join tickets t on t.workspace_id = ${workspaceId} and t.id = p.ticket_id
    where p.workspace_id = ${workspaceId} and p.contact_id = ${contactId} and t.merged_into_id is null
      and t.trashed_at is null and (p.is_known or t.requester_id = p.contact_id)
      and t.last_message_at > ${since} and not ${isSampleTicket(sql`t.workspace_id`, sql`t.id`)}
    order by t.last_message_at desc, t.id desc
    limit ${recentMax}`);
}

/** Locks a ticket that was not found by ids. Returns undefined if the ticket is gone. */
export async function lockMailTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticketId, senderId }: { ticketId: TicketId; senderId: ContactId | null },
): Promise<MailTicket | undefined> {
  const [ticket] = await lockMailTickets(tx, workspaceId, { leads: new Map([[ticketId, []]]), locked: [], senderId });
  return ticket;
}

/** Locks the ticket where a message is now. Returns undefined if the message is missing. */
export async function lockTicketOfMessage(
  tx: Tx,
  workspaceId: WorkspaceId,
  { messageId, senderId }: { messageId: MessageId; senderId: ContactId | null },
): Promise<MailTicket | undefined> {
  const ofMessage = sql`
    select m.ticket_id as "ticketId" from messages m where m.workspace_id = ${workspaceId} and m.id = ${messageId}`;
  const find = async () => {
    const message = await tx.maybe<{ ticketId: TicketId }>(ofMessage);
    return new Map<TicketId, string[]>(message && [[message.ticketId, []]]);
  };
  const lock = () => lockTickets(tx, workspaceId, sql`array(${ofMessage})`, senderId);
  const [ticket] = await lockFound(tx, workspaceId, { find, lock, senderId });
  return ticket;
}

const mergesMax = 1_000;

/**
 * Locks tickets. Follows each merged ticket to its survivor, and each ticket in the trash to its continuation.
 * Goes step by step: PostgreSQL plans a recursive query badly before the tables have statistics, which is
 * when a first import runs.
 * @param leads the ids that lead to each ticket
 * @param locked tickets that were just locked; used only if they are all the tickets of `leads`
 */
async function lockMailTickets(
  tx: Tx,
  workspaceId: WorkspaceId,
  {
    leads,
    locked,
    senderId,
  }: { leads: ReadonlyMap<TicketId, string[]>; locked: LockedTicket[]; senderId: ContactId | null },
): Promise<MailTicket[]> {
  const found = new Map<TicketId, MailTicket>();
  let waiting = new Map(leads);
  let tickets = locked.filter(({ id }) => leads.has(id));
  for (let step = 0; waiting.size > 0; step++) {
    if (step > mergesMax) throw new Error('tickets are merged into each other in a ring');
    if (tickets.length < waiting.size)
      tickets = await lockTickets(tx, workspaceId, sql`${[...waiting.keys()]}::uuid[]`, senderId);
    const next = new Map<TicketId, string[]>();
    for (const { mergedIntoId, isInTrash, continuedInId, ...ticket } of tickets) {
      const ids = waiting.get(ticket.id) ?? [];
      const nextId = mergedIntoId ?? (isInTrash ? continuedInId : null);
      if (nextId !== null) lead(next, nextId, ids);
      else if (!isInTrash) {
        const matchedIds = [...(found.get(ticket.id)?.matchedIds ?? []), ...ids];
        found.set(ticket.id, { ...ticket, matchedIds, messageIds: [] });
      }
    }
    waiting = next;
    tickets = [];
  }
  return [...found.values()];
}

function lead(leads: Map<TicketId, string[]>, ticketId: TicketId, ids: readonly string[]): void {
  leads.set(ticketId, [...(leads.get(ticketId) ?? []), ...ids]);
}

type LockedTicket = Omit<MailTicket, 'matchedIds' | 'messageIds'> & {
  mergedIntoId: TicketId | null;
  isInTrash: boolean;
  continuedInId: TicketId | null;
};

/**
 * Avoids `for update`, which would block every row that refers to the ticket, and wait for such rows.
 * @param ticketIds an SQL array of ids
 */
async function lockTickets(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketIds: Sql,
  senderId: ContactId | null,
): Promise<LockedTicket[]> {
  return tx.rows(sql`
    select t.id, t.team_id as "teamId", t.subject, t.status, t.archived_at as "archivedAt",
      t.snoozed_until as "snoozedUntil", t.spam_at as "spamAt", t.trashed_at is not null as "isInTrash",
      t.continued_in_id as "continuedInId", t.requester_id as "requesterId", t.is_import_only as "isImportOnly",
      t.merged_into_id as "mergedIntoId",
      exists (
        select from ticket_participants p
        where p.workspace_id = ${workspaceId} and p.ticket_id = t.id and p.contact_id = ${senderId}::uuid
          and (p.is_known or p.contact_id = t.requester_id)
      ) as "isSenderKnown",
      (${oldestMessage(workspaceId)}) as oldest
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id = any(${ticketIds})
    order by t.id
    for no key update of t`);
}

/**
 * The oldest message of ticket `t` as JSON. Only imports need it, so live tickets skip the lookup.
 * Two index probes: sorted by both columns, PostgreSQL would read at least 32 messages.
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

/** A ticket in the trash, and its team, which the ticket that continues it is in too. */
export type TrashedTicket = Pick<Ticket, 'id' | 'teamId'>;

/**
 * Finds the ticket in the trash that a mail answers, by the message that it certainly answers or by the ids of
 * messages. If that ticket has no continuation, the mail's new ticket becomes its continuation.
 */
export async function findTrashed(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ids, answeredId }: { ids: readonly string[]; answeredId: MessageId | null },
): Promise<TrashedTicket | undefined> {
  return tx.maybe<TrashedTicket>(sql`
    select t.id, t.team_id as "teamId"
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and t.trashed_at is not null
      and m.id = any(array(
        select i.message_id from mail_ids i
        where i.workspace_id = ${workspaceId} and i.rfc_message_id = any(${ids.map(mailIdKey)}::text[])
      ) || ${answeredId}::uuid)
    order by m.created_at desc, m.id desc
    limit 1`);
}
