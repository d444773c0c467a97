import { record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import { upsertContact } from '../contacts/upsert.ts';
import { type Tx, together } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { asAssigneeFault } from './change.ts';
import { defaultPriority, priorityKey } from './priority.ts';
import { insertMessage, insertTicket, type MessageAuthor } from './rows.ts';
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
  const id = tx.newId();
  const now = tx.now.toISOString();
  const ticket: Omit<Ticket, 'ticketNumber'> = {
    id,
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
  const author: MessageAuthor =
    requester === null
      ? { type: 'agent', userId: actor.userId }
      : { type: 'customer', contactId: requester.id, name: requester.name, email: requester.email };
  // One round trip: each statement needs only what is known here.
  const numbered = insertTicket(tx, { ...ticket, workspaceId, requester, createdAt: tx.now, lastMessageAt: tx.now });
  const written = together([
    insertMessage(tx, {
      id: tx.newId(),
      workspaceId,
      ticketId: id,
      direction: requester === null ? 'outbound' : 'inbound',
      author,
      body: input.body,
      bodyHtml: null,
      replyText: null,
      toAddresses: [],
      ccAddresses: [],
      deliveryStatus: null,
      rfcMessageId: null,
      automaticKind: null,
      threading: null,
      createdAt: tx.now,
    }),
    requester === null ? undefined : addParticipant(tx, workspaceId, id, requester.id),
    record(tx, {
      workspaceId,
      ticketId: id,
      actor: { type: 'agent', userId: actor.userId },
      type: 'ticket.created',
      data: { channel: 'api' },
    }),
  ]);
  // The ticket's own fault is the telling one; what was sent behind it fails with it.
  const [ticketNumber] = await together([numbered.catch((error) => Promise.reject(asAssigneeFault(error))), written]);
  if (ticket.assigneeId !== null) {
    await record(tx, {
      workspaceId,
      ticketId: id,
      actor: { type: 'agent', userId: actor.userId },
      type: 'ticket.assigned',
      data: { from: null, to: ticket.assigneeId },
      tell: {
        fact: { type: 'ticket.assigned', to: ticket.assigneeId },
        ticket: { ticketNumber, subject: ticket.subject },
      },
    });
  }
  return { ...ticket, ticketNumber };
}

/** Notes that a person takes part in a ticket's conversation. */
export async function addParticipant(tx: Tx, workspaceId: string, ticketId: string, contactId: string): Promise<void> {
  await tx.run(sql`
    insert into ticket_participants (workspace_id, ticket_id, contact_id)
    values (${workspaceId}, ${ticketId}, ${contactId})
    on conflict do nothing`);
}
