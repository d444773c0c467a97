import type { Actor } from '../../../ground/catalog/actor.ts';
import { because } from '../../../ground/catalog/doer.ts';
import { everything } from '../../../ground/catalog/scope.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import type { TicketId } from '../../../ground/lib/ids.ts';
import { getSavedReply } from '../../replies/queries.ts';
import type { ReplyActions } from '../../replies/schema.ts';
import { noteUse, useSavedReply } from '../../replies/use.ts';
import { type AppendMessage, appendMessage } from '../append.ts';
import { lockTicket } from '../change.ts';
import { type CreateTicket, createTicket } from '../create.ts';
import { followTicket } from '../follow.ts';
import type { Ticket } from '../schema.ts';
import { changeOf, runActions } from './run-actions.ts';

/** How a message or ticket uses a saved reply. Its HTML is as the author sent it. */
export type ReplyUse = { savedReplyId?: string; runActions?: boolean; bodyHtml?: string };

/**
 * Adds a message. If the caller names a saved reply, the reply's text, files and actions are part of the same commit.
 */
export async function appendWithReply(
  tx: Tx,
  actor: Actor,
  { savedReplyId, runActions: runs = false, ...input }: AppendMessage & ReplyUse,
): ReturnType<typeof appendMessage> {
  if (savedReplyId === undefined) return appendMessage(tx, actor, input);
  const { ticketId, forwardOf, thenStatus } = input;
  // A forward may have no text of its own.
  const written = forwardOf === undefined ? input : { body: '', ...input };
  const finish: AppendMessage['finish'] = async (settle) => {
    const reply = await getSavedReply(tx, actor, { savedReplyId, now: tx.now });
    const { follow, ...actions } = runs ? reply.actions : {};
    const { status, reason, ...others } = actions;
    // The author's own choice of a status takes precedence.
    const wanted = await changeOf(tx, actor, thenStatus === undefined ? actions : others);
    const change = await settle(wanted);
    const about = { ticketId, mailboxId: change.mailboxId };
    const used = await useSavedReply(tx, actor, { reply, written, about });
    if (follow === true) await followTicket(tx, { ...actor, ticketId }, [actor.userId]);
    if (!runs) return { ...used, change };
    const isMailboxWanted = wanted.mailboxId !== undefined;
    return { ...used, change, cause: { kind: 'saved_reply', id: savedReplyId }, isMailboxWanted };
  };
  return appendMessage(tx, actor, { ...input, finish });
}

/** The same for a new ticket, whose number the text may name. */
export async function createWithReply(
  tx: Tx,
  actor: Actor,
  { savedReplyId, runActions: runs = false, ...input }: CreateTicket & ReplyUse,
): ReturnType<typeof createTicket> {
  if (savedReplyId === undefined) return createTicket(tx, actor, input);
  const { subject, requester, toAddresses } = input;
  const [firstTo] = toAddresses ?? [];
  const person = requester ?? (firstTo === undefined ? {} : { email: firstTo });
  let actions: ReplyActions | undefined;
  const finish: CreateTicket['finish'] = async ({ takeNumber, mailboxFor, ...opening }) => {
    const reply = await getSavedReply(tx, actor, { savedReplyId, now: tx.now });
    let { mailboxId } = opening;
    if (runs) {
      const { mailboxId: chosen, ...others } = reply.actions;
      await changeOf(tx, actor, reply.actions);
      if (chosen !== undefined) mailboxId = await mailboxFor(chosen);
      actions = others;
    }
    const ticketNumber = await takeNumber();
    const about = { ticketNumber, subject, mailboxId, ...person };
    return { ticketNumber, mailboxId, ...(await useSavedReply(tx, actor, { reply, written: input, about })) };
  };
  const created = await createTicket(tx, actor, { ...input, finish });
  if (actions === undefined) return created;
  // The actor has just made the ticket, whoever sees it.
  const maker = { ...byReply(actor, savedReplyId), sight: everything };
  return { ...created, ticket: await runActions(tx, maker, created.ticket.id, actions) };
}

/** Runs the actions of a saved reply without a message. */
export async function applyReply(
  tx: Tx,
  actor: Actor,
  { ticketId, savedReplyId }: { ticketId: TicketId; savedReplyId: string },
): Promise<Ticket> {
  const [, { actions }] = await together([
    lockTicket(tx, actor, { ticketId, ifMatch: undefined }),
    getSavedReply(tx, actor, { savedReplyId, now: tx.now }),
  ]);
  const ticket = await runActions(tx, byReply(actor, savedReplyId), ticketId, actions);
  await noteUse(tx, actor, savedReplyId);
  return ticket;
}

function byReply(actor: Actor, savedReplyId: string): Actor {
  return because(actor, { kind: 'saved_reply', id: savedReplyId });
}
