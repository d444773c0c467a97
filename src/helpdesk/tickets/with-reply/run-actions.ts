import { takesTickets } from '../../../access/teams/queries.ts';
import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { TicketId, UserId } from '../../../ground/lib/ids.ts';
import { isConnected } from '../../../mail/mailboxes/queries.ts';
import type { ReplyActions } from '../../replies/schema.ts';
import { changeTicket } from '../change-ticket.ts';
import { followTicket } from '../follow.ts';
import type { Ticket } from '../schema.ts';
import type { ChangeWithContact } from '../ticket-change.ts';

const hourMs = 3_600_000;

/**
 * Changes a ticket as a saved reply says. Throws 409 `saved_reply.actions_not_allowed` if the reply assigns a person
 * who has left, or moves the ticket to a mailbox that is disconnected or to a team that takes no tickets.
 */
export async function runActions(
  tx: Tx,
  actor: Actor,
  ticketId: TicketId,
  { follow, ...actions }: ReplyActions,
): Promise<Ticket> {
  const change = await changeOf(tx, actor, actions);
  const ticket = await changeTicket(tx, actor, { ticketId, ifMatch: undefined }, change);
  // Only now the ticket is known to exist.
  if (follow === true) await followTicket(tx, { ...actor, ticketId }, [actor.userId]);
  return ticket;
}

/** A reply's actions as a change of a ticket. */
export async function changeOf(
  tx: Tx,
  actor: Actor,
  { assignee, snoozeHours, ...change }: Omit<ReplyActions, 'follow'>,
): Promise<ChangeWithContact> {
  const { mailboxId, teamId } = change;
  if (mailboxId && !(await isConnected(tx, actor.workspaceId, mailboxId)))
    throw new AppError('saved_reply.actions_not_allowed', { action: 'mailboxId' });
  if (teamId && !(await takesTickets(tx, actor.workspaceId, teamId)))
    throw new AppError('saved_reply.actions_not_allowed', { action: 'teamId' });
  return {
    ...change,
    ...(assignee !== undefined && { assigneeId: await assigneeOf(tx, actor, assignee) }),
    ...(snoozeHours !== undefined && {
      snoozedUntil: new Date(tx.now.getTime() + snoozeHours * hourMs).toISOString(),
    }),
  };
}

async function assigneeOf(tx: Tx, { workspaceId, userId }: Actor, assignee: string): Promise<UserId | null> {
  if (assignee === 'none') return null;
  if (assignee === 'me') return userId;
  const member = await tx.maybe<{ userId: UserId }>(sql`
    select user_id as "userId" from members
    where workspace_id = ${workspaceId} and user_id = ${assignee} and removed_at is null`);
  if (member === undefined) throw new AppError('saved_reply.actions_not_allowed', { action: 'assignee' });
  return member.userId;
}
