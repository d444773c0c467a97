import { record } from '../../events/activity/record.ts';
import { carrySampleMark } from '../../events/samples/marks.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Fact } from '../../ground/catalog/events.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible, visible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { ContactId, MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { Contact } from '../contacts/upsert.ts';
import { lockTicket, type Target } from '../tickets/change.ts';
import { carryFollowers } from '../tickets/follow.ts';
import { addParticipants, insertTicket, refreshTicketSearch, takeTicketNumber } from '../tickets/rows.ts';
import type { Ticket } from '../tickets/schema.ts';
import { isCounted, recount } from '../tickets/summary.ts';
import { moveMessages, settleMoved } from './move-messages.ts';

export type SplitTicket = Target & { messageIds: readonly MessageId[]; newSubject?: string };

/**
 * Moves messages of a ticket to a new ticket, which owns them: no unmerge takes them back.
 * Later mail follows the message that it answers.
 * Message-IDs that mails only named, and that belong to no message, stay with the original.
 */
export async function splitTicket(
  tx: Tx,
  actor: Actor,
  { messageIds: named, newSubject, ...target }: SplitTicket,
): Promise<{ original: Ticket; ticket: Ticket; movedMessages: number }> {
  const { workspaceId } = actor;
  const original = await lockTicket(tx, actor, target);
  const wanted = [...new Set(named)];
  const [messages, people] = await together([
    findMessages(tx, actor, original.id, wanted),
    findPeople(tx, actor, original.id),
  ]);
  const found = new Set(messages.map(({ id }) => id));
  const unknown = wanted.filter((id) => !found.has(id));
  if (unknown.length > 0) throw new AppError('message.not_found', { messageIds: unknown });
  const counted = messages.filter(({ isCounted }) => isCounted);
  if (counted.length === original.messageCount) throw new AppError('ticket.split_takes_all');

  const requesterId = messages.find(({ authorId }) => authorId !== null)?.authorId;
  const requester = people.find(({ id, isRequester }) =>
    requesterId === undefined ? isRequester : id === requesterId,
  );
  const { subject, priority, tags, channel, mailboxId, teamId } = original;
  const made = await insertTicket(tx, {
    ...{ workspaceId, priority, tags, channel, mailboxId, teamId },
    id: tx.newId(),
    ticketNumber: await takeTicketNumber(tx, workspaceId),
    subject: newSubject ?? subject,
    requester: requester ?? null,
    messageCount: messages.length,
    lastMessageAt: new Date(messages.at(-1)?.createdAt ?? tx.now),
  });
  const [originalAfter] = await together([
    moveOut(tx, workspaceId, { messageIds: wanted, to: made.id }).then(() => settleMoved(tx, workspaceId, original)),
    addParticipants(tx, { workspaceId, ticketId: made.id }, peopleOf(messages, people, requester)),
    carrySampleMark(tx, workspaceId, { from: original.id, to: made.id }),
    carryFollowers(tx, workspaceId, { from: [original.id], to: made.id, isSplit: true }),
    ...factsOf({ original, ticket: made, movedMessages: messages.length }).map((fact) => record(tx, actor, fact)),
  ]);
  await refreshTicketSearch(tx, workspaceId, made.id);
  const ticket = { ...made, ...(await recount(tx, workspaceId, made.id)) };
  return { original: originalAfter, ticket, movedMessages: messages.length };
}

type MovedMessage = {
  id: MessageId;
  /** The customer who wrote the message. */
  authorId: ContactId | null;
  addresses: string[];
  createdAt: string;
  isCounted: boolean;
};

/** Reads the named messages that the ticket has, oldest first. */
async function findMessages(
  tx: Tx,
  scope: Scope,
  ticketId: TicketId,
  messageIds: readonly MessageId[],
): Promise<MovedMessage[]> {
  const { workspaceId } = scope;
  return tx.rows(sql`
    select m.id, m.author_contact_id as "authorId", m.to_addresses || m.cc_addresses || m.bcc_addresses as addresses,
      m.created_at as "createdAt", ${isCounted} as "isCounted"
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.id = any(${messageIds}::uuid[])
      and ${ofVisible(scope, 'm.ticket_id')}
    order by m.created_at, m.id`);
}

type TicketPerson = Contact & {
  isRequester: boolean;
  /** Folded addresses of the contact and of contacts that were merged into it. */
  keys: string[];
};

/** Reads everyone who takes part in the ticket or wrote in it. */
async function findPeople(tx: Tx, scope: Scope, ticketId: TicketId): Promise<TicketPerson[]> {
  const { workspaceId } = scope;
  return tx.rows(sql`
    select c.id, c.email, c.name, c.id = t.requester_id is true as "isRequester",
      array(
        select a.email_key from contacts a
        where a.workspace_id = ${workspaceId} and (a.id = c.id or a.merged_into_id = c.id)
      ) as keys
    from (
      select contact_id as id from ticket_participants
      where workspace_id = ${workspaceId} and ticket_id = ${ticketId}
      union
      select author_contact_id from messages where workspace_id = ${workspaceId} and ticket_id = ${ticketId}
      union
      select requester_id from tickets where workspace_id = ${workspaceId} and id = ${ticketId}
    ) people
    join contacts c on c.workspace_id = ${workspaceId} and c.id = people.id
    join tickets t on t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible(scope, 't')}`);
}

/** Moves the messages, also out of the merges that brought them. */
async function moveOut(
  tx: Tx,
  workspaceId: WorkspaceId,
  { messageIds, to }: { messageIds: readonly MessageId[]; to: TicketId },
): Promise<void> {
  await together([
    moveMessages(tx, workspaceId, { messageIds, to }),
    tx.run(sql`
      delete from merged_messages
      where workspace_id = ${workspaceId} and message_id = any(${messageIds}::uuid[])`),
  ]);
}

/** The people whom the moved messages name, and the requester. */
function peopleOf(
  messages: readonly MovedMessage[],
  people: readonly TicketPerson[],
  requester: Contact | undefined,
): ContactId[] {
  const authorIds = new Set(messages.map(({ authorId }) => authorId));
  const named = new Set(messages.flatMap(({ addresses }) => addresses.map(caseKey)));
  const isNamed = ({ id, keys }: TicketPerson) => authorIds.has(id) || keys.some((key) => named.has(key));
  return people.filter((person) => person.id === requester?.id || isNamed(person)).map(({ id }) => id);
}

function factsOf({
  original,
  ticket,
  movedMessages,
}: {
  original: Ticket;
  ticket: Pick<Ticket, 'id' | 'channel'>;
  movedMessages: number;
}): (Fact<'ticket.created'> | Fact<'ticket.split'> | Fact<'ticket.split_from'>)[] {
  const isOf = { ticketId: ticket.id };
  return [
    { ...isOf, type: 'ticket.created', data: { channel: ticket.channel } },
    { ...isOf, type: 'ticket.split_from', data: { fromTicketId: original.id, movedMessages } },
    {
      ticketId: original.id,
      type: 'ticket.split',
      data: { intoTicketId: ticket.id, movedMessages },
    },
  ];
}
