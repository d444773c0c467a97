import { type Fact, record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import { type Contact, upsertContact } from '../contacts/upsert.ts';
import type { MessageId, TicketId, UserId } from '../lib/ids.ts';
import { mentionedUsers } from '../notifications/rules.ts';
import { type Tx, together } from '../platform/db.ts';
import { asAssigneeFault } from './change.ts';
import { defaultPriority, priorityKey } from './priority.ts';
import { addParticipants, insertMessage, insertTicket, type MessageAuthor, plainMessage } from './rows.ts';
import type { Ticket } from './schema.ts';
import { foldTags } from './tags.ts';

export type CreateTicket = {
  subject: string;
  body: string;
  requester?: { email: string; name?: string | null } | null;
  priority?: string;
  tags?: string[];
  assigneeId?: string | null;
};

/** Makes a ticket with its first message: the requester's where one is named, else the caller's own. Sends no mail. */
export async function createTicket(tx: Tx, actor: Actor, input: CreateTicket): Promise<Ticket> {
  const { workspaceId } = actor;
  const tags = foldTags(input.tags ?? []);
  const requester = input.requester
    ? await upsertContact(tx, workspaceId, { email: input.requester.email, name: input.requester.name || null })
    : null;
  const ticket = newTicket(tx, input, tags, requester);
  const author: MessageAuthor =
    requester === null
      ? { type: 'agent', userId: actor.userId }
      : { type: 'customer', contactId: requester.id, name: requester.name, email: requester.email };
  const messageId = tx.newId();
  const mentioned = requester === null ? mentionedUsers(input.body) : [];
  // One round trip: each statement needs only what is known here.
  const numbered = insertTicket(tx, { ...ticket, workspaceId, requester, createdAt: tx.now, lastMessageAt: tx.now });
  const written = together([
    insertMessage(tx, {
      ...plainMessage,
      id: messageId,
      workspaceId,
      ticketId: ticket.id,
      direction: requester === null ? 'outbound' : 'inbound',
      author,
      body: input.body,
      createdAt: tx.now,
    }),
    requester === null ? undefined : addParticipants(tx, { workspaceId, ticketId: ticket.id }, [requester.id]),
    mentioned.length === 0 ? record(tx, creation(actor, ticket.id)) : undefined,
  ]);
  // The ticket's own fault is the telling one; what was sent behind it fails with it.
  const [ticketNumber] = await together([numbered.catch((error) => Promise.reject(asAssigneeFault(error))), written]);
  await tellOfCreation(tx, actor, { ...ticket, ticketNumber }, { messageId, mentioned });
  return { ...ticket, ticketNumber };
}

function newTicket(
  tx: Tx,
  input: CreateTicket,
  tags: string[],
  requester: Contact | null,
): Omit<Ticket, 'ticketNumber'> {
  const now = tx.now.toISOString();
  return {
    id: tx.newId(),
    subject: input.subject,
    status: 'open',
    priority: input.priority === undefined ? defaultPriority : priorityKey(input.priority),
    assigneeId: input.assigneeId ?? null,
    tags,
    requester: requester === null ? null : { email: requester.email, name: requester.name },
    channel: 'api',
    mailboxId: null,
    archivedAt: null,
    snoozedUntil: null,
    mergedIntoId: null,
    messageCount: 1,
    lastMessageAt: now,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}

function creation({ workspaceId, userId }: Actor, ticketId: TicketId): Fact<'ticket.created'> {
  return { workspaceId, ticketId, actor: { type: 'agent', userId }, type: 'ticket.created', data: { channel: 'api' } };
}

/** A notification names the ticket's number. Whoever is mentioned is told of that, and not of the assignment as well. */
async function tellOfCreation(
  tx: Tx,
  actor: Actor,
  ticket: Ticket,
  { messageId, mentioned }: { messageId: MessageId; mentioned: readonly UserId[] },
): Promise<void> {
  const { id, assigneeId } = ticket;
  if (mentioned.length > 0) {
    await record(tx, {
      ...creation(actor, id),
      tell: { fact: { type: 'message.added', by: 'agent', mentioned }, ticket, messageId },
    });
  }
  if (assigneeId === null) return;
  await record(tx, {
    ...creation(actor, id),
    type: 'ticket.assigned',
    data: { from: null, to: assigneeId },
    ...(!mentioned.includes(assigneeId) && { tell: { fact: { type: 'ticket.assigned', to: assigneeId }, ticket } }),
  });
}
