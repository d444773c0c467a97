import { takesTickets } from '../../../access/teams/queries.ts';
import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Doer } from '../../../ground/catalog/doer.ts';
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

/** An action that names somebody or something that has gone. */
type Gone = 'assignee' | 'mailboxId' | 'teamId';
const replyFault = (action: Gone) => new AppError('saved_reply.actions_not_allowed', { action });

/**
 * The actions of a saved reply, or of a rule, as a change of a ticket.
 * @param faultOf what to throw where an action is not possible any more
 */
export async function changeOf(
  tx: Tx,
  by: Doer,
  { assignee, ...change }: Omit<ReplyActions, 'follow'>,
  faultOf: (action: Gone) => AppError = replyFault,
): Promise<ChangeWithContact> {
  const { mailboxId, teamId } = change;
  if (mailboxId && !(await isConnected(tx, by.workspaceId, mailboxId))) throw faultOf('mailboxId');
  if (teamId && !(await takesTickets(tx, by.workspaceId, teamId))) throw faultOf('teamId');
  const assigneeId = assignee === undefined ? undefined : await findAssignee(tx, by, assignee);
  if (assigneeId === undefined && assignee !== undefined) throw faultOf('assignee');
  return changeWith(change, assigneeId, tx.now);
}

/** The same actions, once it is certain that what they name is there. */
export function changeWith(
  { snoozeHours, ...change }: Omit<ReplyActions, 'follow' | 'assignee'>,
  assigneeId: UserId | null | undefined,
  now: Date,
): ChangeWithContact {
  return {
    ...change,
    ...(assigneeId !== undefined && { assigneeId }),
    ...(snoozeHours !== undefined && { snoozedUntil: new Date(now.getTime() + snoozeHours * hourMs).toISOString() }),
  };
}

/** @returns null for nobody, and undefined for who is no member any more */
async function findAssignee(
  tx: Tx,
  { workspaceId, userId }: Doer,
  assignee: string,
): Promise<UserId | null | undefined> {
  if (assignee === 'none') return null;
  if (assignee === 'me') return userId;
  const member = await tx.maybe<{ userId: UserId }>(sql`
    select user_id as "userId" from members
    where workspace_id = ${workspaceId} and user_id = ${assignee} and removed_at is null`);
  return member?.userId;
}
