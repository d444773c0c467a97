import { takesTickets } from '../../access/teams/queries.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { giveBack } from '../../helpdesk/tickets/change-ticket.ts';
import type { Locked } from '../../helpdesk/tickets/move-ticket.ts';
import { mayHave } from '../../helpdesk/tickets/teams/team-of-ticket.ts';
import { bringBackUnread } from '../../helpdesk/tickets/unread.ts';
import { isConnected } from '../../mail/mailboxes/queries.ts';
import { givenBack, type Made, type ReadState } from './ticket-state.ts';

/**
 * Brings a locked ticket back to its state before a bulk change. A field that a person has changed meanwhile stays.
 * @param now its present state
 * @returns whether every field is back
 */
export async function undoOne(
  tx: Tx,
  actor: Actor,
  locked: Locked,
  { made, now }: { made: Made; now: ReadState },
): Promise<boolean> {
  const { workspaceId } = actor;
  const ticketId = locked.before.id;
  const { fields, isWhole } = givenBack(made, now);
  const isTeamHere = !fields.teamId || (await takesTickets(tx, workspaceId, fields.teamId));
  if (!isTeamHere) delete fields.teamId;
  const isMailboxHere = !fields.mailboxId || (await isConnected(tx, workspaceId, fields.mailboxId));
  if (!isMailboxHere) delete fields.mailboxId;
  const { teamId = locked.before.teamId, assigneeId } = fields;
  const isAssigneeHere = !assigneeId || (await mayHave(tx, workspaceId, { id: ticketId, teamId, assigneeId }));
  if (!isAssigneeHere) delete fields.assigneeId;
  const { waitingSince, closedAt, ...state } = fields;
  if (Object.keys(state).length > 0) await giveBack(tx, actor, locked, state);
  await setExactly(tx, { workspaceId, ticketId }, { waitingSince, closedAt });
  await bringBackUnread(tx, { workspaceId, ticketId }, made.unread);
  return isWhole && isAssigneeHere && isTeamHere && isMailboxHere;
}

/** Times that follow from the status and the messages, to the moment of before. */
async function setExactly(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
  { waitingSince, closedAt }: Record<'waitingSince' | 'closedAt', string | null | undefined>,
): Promise<void> {
  if (waitingSince === undefined && closedAt === undefined) return;
  const since = waitingSince === undefined ? sql`waiting_since` : sql`${waitingSince}::timestamptz`;
  const at = closedAt === undefined ? sql`closed_at` : sql`${closedAt}::timestamptz`;
  await tx.run(sql`
    update tickets set waiting_since = ${since}, closed_at = ${at}
    where workspace_id = ${workspaceId} and id = ${ticketId}`);
}
