import { requireTeam } from '../../access/teams/queries.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { AppError, type ErrorBody, invalidRequest } from '../../ground/lib/errors.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import { getSavedReply } from '../../helpdesk/replies/queries.ts';
import type { Target } from '../../helpdesk/tickets/change.ts';
import { changeTicket } from '../../helpdesk/tickets/change-ticket.ts';
import type { TicketChange } from '../../helpdesk/tickets/schema.ts';
import { checkChange } from '../../helpdesk/tickets/ticket-change.ts';
import { appendWithReply, applyReply } from '../../helpdesk/tickets/with-reply/with-reply.ts';
import { requireConnected } from '../../mail/mailboxes/queries.ts';

/** The change to make to each ticket. */
export type Change = TicketChange & { savedReplyId?: string };

/** Refuses what every ticket would refuse, before any ticket changes. */
export async function checkBulk(
  db: Queryable,
  actor: Actor,
  { savedReplyId, ...change }: Change,
  now: Date,
): Promise<void> {
  const { reason: _, ...named } = change;
  if (savedReplyId === undefined && Object.keys(named).length === 0)
    throw invalidRequest({ path: 'body', key: 'no_change' });
  if (savedReplyId !== undefined) await getSavedReply(db, actor, { savedReplyId, now });
  checkChange(now, change);
  const { assigneeId = null, mailboxId = null, teamId = null } = change;
  if (teamId !== null) await requireTeam(db, actor.workspaceId, teamId);
  if (mailboxId !== null) await requireConnected(db, actor.workspaceId, mailboxId);
  if (assigneeId === null) return;
  const member = await db.maybe(sql`
    select from members where workspace_id = ${actor.workspaceId} and user_id = ${assigneeId}`);
  if (member === undefined) throw invalidRequest({ path: 'body.assigneeId', key: 'not_a_member' });
}

/** Answers one of many tickets with a saved reply, and changes it. */
export async function answerAndChange(
  tx: Tx,
  actor: Actor,
  { savedReplyId, ...target }: Answered & Target,
  change: TicketChange,
): Promise<void> {
  const { trash, spam } = change;
  const back = { ...(trash === false && { trash }), ...(spam === false && { spam }) };
  // Nobody can answer a ticket in the trash or in spam.
  if (Object.keys(back).length > 0) await changeTicket(tx, actor, target, back);
  await answerOrApply(tx, actor, { savedReplyId, ...target });
  if (Object.keys(change).length > 0) await changeTicket(tx, actor, target, change);
}

type Answered = { ticketId: TicketId; savedReplyId: string };

/** Mails the text of a saved reply to all recipients of the ticket, and runs its actions. */
async function answerOrApply(tx: Tx, actor: Actor, { ticketId, savedReplyId }: Answered): Promise<void> {
  const reply = await getSavedReply(tx, actor, { savedReplyId, now: tx.now });
  if (reply.body === '' && reply.bodyHtml === null) await applyReply(tx, actor, { ticketId, savedReplyId });
  else await appendWithReply(tx, actor, { ticketId, savedReplyId, runActions: true, sendEmail: true, isOfMany: true });
}

export type BulkResult = { id: TicketId; status: number; version?: number; error?: ErrorBody };

/** The version after a change of the ticket, which may have moved it out of the sight of whoever made the change. */
export async function versionOf(db: Queryable, { workspaceId }: Actor, ticketId: TicketId): Promise<number> {
  const ticket = await db.maybe<{ version: number }>(sql`
    select version from tickets
    where workspace_id = ${workspaceId} and id = ${ticketId} and ${visible(machineScope(workspaceId), 'tickets')}`);
  // The repeat of an answer does not touch the ticket, which may be deleted by then.
  if (ticket === undefined) throw new AppError('ticket.not_found');
  return ticket.version;
}

/** Whether every ticket was tried. The caller may repeat an unfinished request under the same key. */
export const isFinished = (results: readonly BulkResult[]): boolean => results.every(({ status }) => status < 500);

/** Per request. More would take the connections of other requests. */
const atOnceMax = 3;
/**
 * Counts from the arrival of the request: proxies wait a minute or less. The caller must repeat the changes that had
 * not begun.
 */
export const beginSecondsMax = 20;

/**
 * Changes each ticket, a few at once, and returns the results in the given order. One failure leaves the others alone.
 * @param ticketIds without repeats
 * @param begunBy on the clock of `performance.now()`
 * @param change returns the ticket's version after the change
 * @param faultOf turns a thrown value into the error of the response
 */
export async function forEachTicket(
  { ticketIds, begunBy }: { ticketIds: readonly TicketId[]; begunBy: number },
  change: (ticketId: TicketId) => Promise<number>,
  faultOf: (thrown: unknown) => AppError,
): Promise<BulkResult[]> {
  const inTurn = inTurns(atOnceMax);
  const changeInTime = async (id: TicketId): Promise<BulkResult> => {
    try {
      if (performance.now() > begunBy) throw new AppError('unavailable');
      return { id, status: 200, version: await change(id) };
    } catch (thrown) {
      const { status, body } = faultOf(thrown);
      return { id, status, error: body };
    }
  };
  return Promise.all(ticketIds.map((id) => inTurn(() => changeInTime(id))));
}
