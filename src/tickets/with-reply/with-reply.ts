import type { Actor } from '../../catalog/actor.ts';
import type { Tx } from '../../database/db.ts';
import type { TicketId } from '../../lib/ids.ts';
import { getSavedReply } from '../../replies/queries.ts';
import type { ReplyActions } from '../../replies/schema.ts';
import { noteUse, useSavedReply } from '../../replies/use.ts';
import type { Site } from '../../replies/variable-values.ts';
import { type AppendMessage, appendMessage } from '../append.ts';
import { type CreateTicket, createTicket } from '../create.ts';
import type { Ticket } from '../schema.ts';
import { runActions } from './run-actions.ts';

/** How a message or ticket uses a saved reply. Its HTML is as the author sent it. */
export type ReplyUse = { savedReplyId?: string; runActions?: boolean; bodyHtml?: string; site: Site };

/**
 * Adds a message. If the caller names a saved reply, the reply's text, files and actions are part of the same commit.
 */
export async function appendWithReply(
  tx: Tx,
  actor: Actor,
  { savedReplyId, runActions: runs = false, site, ...input }: AppendMessage & ReplyUse,
): ReturnType<typeof appendMessage> {
  if (savedReplyId === undefined) return appendMessage(tx, actor, input);
  const { ticketId, forwardOf, thenStatus } = input;
  // A forward may have no text of its own.
  const written = forwardOf === undefined ? input : { body: '', ...input };
  const { text, files, actions } = await useSavedReply(tx, actor, { savedReplyId, written, about: { ticketId }, site });
  const { status, reason, ...others } = actions;
  // The author's own choice of a status takes precedence.
  const wanted = thenStatus === undefined ? actions : others;
  return appendMessage(tx, actor, { ...input, ...text, files, ...(runs && { alsoRun: running(tx, actor, wanted) }) });
}

/** The same for a new ticket. Its number is known when the text is filled. */
export async function createWithReply(
  tx: Tx,
  actor: Actor,
  { savedReplyId, runActions: runs = false, site, ...input }: CreateTicket & ReplyUse,
): ReturnType<typeof createTicket> {
  if (savedReplyId === undefined) return createTicket(tx, actor, input);
  const { subject, requester, toAddresses, mailboxId = null } = input;
  const [firstTo] = toAddresses ?? [];
  const person = requester ?? (firstTo === undefined ? {} : { email: firstTo });
  let actions: ReplyActions = {};
  return createTicket(tx, actor, {
    ...input,
    textFor: async (ticketNumber) => {
      const about = { ticketNumber, subject, mailboxId, ...person };
      const used = await useSavedReply(tx, actor, { savedReplyId, written: input, about, site });
      actions = used.actions;
      return used;
    },
    ...(runs && { alsoRun: (ticketId: TicketId) => runActions(tx, actor, { ticketId }, actions) }),
  });
}

/** Runs the actions of a saved reply without a message. */
export async function applyReply(
  tx: Tx,
  actor: Actor,
  { ticketId, savedReplyId, bulkId }: { ticketId: TicketId; savedReplyId: string; bulkId?: string },
): Promise<Ticket> {
  const { actions } = await getSavedReply(tx, actor, { savedReplyId, now: tx.now });
  const ticket = await runActions(tx, actor, { ticketId, ...(bulkId !== undefined && { bulkId }) }, actions);
  await noteUse(tx, actor, savedReplyId);
  return ticket;
}

function running(tx: Tx, actor: Actor, actions: ReplyActions) {
  return (ticketId: TicketId): Promise<Ticket> => runActions(tx, actor, { ticketId }, actions);
}
