import { requireTeam } from '../../../access/teams/queries.ts';
import { isMember } from '../../../access/workspaces/queries.ts';
import { everything, type Scope } from '../../../ground/catalog/scope.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { isBeyondAccess, isHiddenBy, showsTeam } from '../../../ground/database/visible.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { TeamId, TicketId, UserId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { findTeamOfMailbox } from '../../../mail/mailboxes/queries.ts';
import type { Ticket } from '../schema.ts';
import type { ChangeWithContact } from '../ticket-change.ts';

/**
 * A ticket that moves to another mailbox goes along to its team, unless people have moved the ticket to another team
 * before: then it stays in that one.
 */
export async function withTeamOfMailbox(
  tx: Tx,
  workspaceId: WorkspaceId,
  before: Pick<Ticket, 'mailboxId' | 'teamId'>,
  change: ChangeWithContact,
): Promise<ChangeWithContact> {
  const { teamId, mailboxId } = change;
  if (teamId !== undefined || !mailboxId || before.mailboxId === null || mailboxId === before.mailboxId) return change;
  const [from, to] = await together([
    findTeamOfMailbox(tx, workspaceId, before.mailboxId),
    findTeamOfMailbox(tx, workspaceId, mailboxId),
  ]);
  return before.teamId === from ? { ...change, teamId: to } : change;
}

type Placed = Pick<Ticket, 'id' | 'teamId' | 'assigneeId'>;

/**
 * Throws 400 for a team that takes no tickets, and 409 `ticket.assignee_outside_team` for a new assignee who would see
 * the ticket only because of the assignment. Asks nothing about a ticket without a team.
 */
export async function refuseOutside(
  tx: Tx,
  workspaceId: WorkspaceId,
  { before, after }: { before: Pick<Ticket, 'teamId' | 'assigneeId'>; after: Placed },
): Promise<void> {
  const { teamId, assigneeId } = after;
  if (teamId === null) return;
  if (teamId !== before.teamId) await requireTeam(tx, workspaceId, teamId);
  if (assigneeId === null || assigneeId === before.assigneeId) return;
  const shown = await shownTo(tx, workspaceId, after, [assigneeId]);
  if (shown.length === 0) throw new AppError('ticket.assignee_outside_team');
}

/** Those of the users to whom the ticket's team shows it, or who follow it. */
export async function shownTo(
  tx: Tx,
  workspaceId: WorkspaceId,
  { id: ticketId, teamId }: Pick<Ticket, 'teamId'> & { id: TicketId },
  userIds: readonly UserId[],
): Promise<readonly UserId[]> {
  if (teamId === null || userIds.length === 0) return userIds;
  const rows = await tx.rows<{ userId: UserId }>(sql`
    select u.id as "userId"
    from unnest(${userIds}::uuid[]) u (id)
    where not ${isHiddenBy(workspaceId, { teamId: sql`${teamId}`, userId: sql`u.id` })} or exists (
      select from ticket_followers f
      where f.workspace_id = ${workspaceId} and f.ticket_id = ${ticketId} and f.user_id = u.id
    )`);
  const shown = new Set(rows.map(({ userId }) => userId));
  return userIds.filter((userId) => shown.has(userId));
}

/** Whether the assignee is still a member, and nothing hides the ticket from them. */
export async function mayHave(
  tx: Tx,
  workspaceId: WorkspaceId,
  { assigneeId, ...ticket }: Pick<Ticket, 'id' | 'teamId'> & { assigneeId: UserId },
): Promise<boolean> {
  const [isHere, shown] = await together([
    isMember(tx, { workspaceId, userId: assigneeId }),
    shownTo(tx, workspaceId, ticket, [assigneeId]),
  ]);
  return isHere && shown.length > 0;
}

/** Those of the users whom a mention reaches, because they see the ticket without it. */
export async function mentionable(
  tx: Tx,
  workspaceId: WorkspaceId,
  { id: ticketId, teamId, assigneeId }: Placed,
  userIds: readonly UserId[],
): Promise<readonly UserId[]> {
  if (userIds.length === 0) return userIds;
  const [shown, beyond] = await together([
    shownTo(tx, workspaceId, { id: ticketId, teamId }, userIds),
    tx.rows<{ userId: UserId }>(sql`
      select u.id as "userId"
      from unnest(${userIds}::uuid[]) u (id)
      where ${isBeyondAccess(workspaceId, { teamId: sql`${teamId}::uuid`, userId: sql`u.id` })}
        and u.id is distinct from ${assigneeId}::uuid and not exists (
          select from ticket_followers f
          where f.workspace_id = ${workspaceId} and f.ticket_id = ${ticketId} and f.user_id = u.id
        )`),
  ]);
  const unreached = new Set(beyond.map(({ userId }) => userId));
  return shown.filter((userId) => !unreached.has(userId));
}

/** Whether the scope shows the tickets of a team to those who neither have nor follow them. */
export async function isTeamShown(tx: Tx, scope: Scope, teamId: TeamId | null): Promise<boolean> {
  if (scope.sight === everything) return true;
  const { isShown } = await tx.one<{ isShown: boolean }>(sql`
    select ${showsTeam(scope, sql`${teamId}::uuid`)} as "isShown"`);
  return isShown;
}
