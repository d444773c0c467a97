import type { Actor } from '../../ground/catalog/actor.ts';
import { roleMay } from '../../ground/catalog/permissions.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { isBeyondAccess, isHiddenBy } from '../../ground/database/visible.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { lockTicket } from './change.ts';
import type { Follower } from './follower-schema.ts';
import { findFollower } from './followers.ts';
import { hasTicket } from './queries.ts';

type Following = { ticketId: TicketId; userId: UserId };

/**
 * Subscribes a member to a ticket's replies. Records no fact and no version, because the ticket does not change.
 * Throws 404, 409 for a merged ticket, 403 if the actor may only subscribe themselves, and 400 for a non-member.
 */
export async function addFollower(
  tx: Tx,
  actor: Actor,
  { ticketId, userId }: Following,
): Promise<{ follower: Follower; isNew: boolean }> {
  const { workspaceId } = actor;
  // Locks the ticket, so that a merge finds all followers of its source.
  await lockTicket(tx, actor, { ticketId, ifMatch: undefined });
  refuseForOthers(actor, userId);
  const added = await followTicket(tx, { workspaceId, ticketId }, [userId]);
  const follower = await findFollower(tx, actor, { ticketId, userId });
  if (follower === undefined) throw invalidRequest({ path: 'body.userId', key: 'not_a_member' });
  return { follower, isNew: added > 0 };
}

/** Throws 404 if the ticket is missing or the person does not follow it, and 403 as `addFollower` does. */
export async function removeFollower(tx: Tx, actor: Actor, { ticketId, userId }: Following): Promise<void> {
  const { workspaceId } = actor;
  if (!(await hasTicket(tx, actor, ticketId))) throw new AppError('ticket.not_found');
  refuseForOthers(actor, userId);
  const removed = await tx.run(sql`
    delete from ticket_followers
    where workspace_id = ${workspaceId} and ticket_id = ${ticketId} and user_id = ${userId}`);
  if (removed === 0) throw new AppError('follower.not_found');
}

function refuseForOthers({ userId, role }: Actor, followerId: UserId): void {
  if (followerId !== userId && !roleMay(role, 'ticket.write')) throw new AppError('auth.role_insufficient');
}

/**
 * Adds the given people as followers, if they are members.
 * @returns the number of new followers
 */
export async function followTicket(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
  userIds: readonly UserId[],
): Promise<number> {
  if (userIds.length === 0) return 0;
  return tx.run(sql`
    insert into ticket_followers (workspace_id, ticket_id, user_id, created_at)
    select m.workspace_id, ${ticketId}, m.user_id, ${tx.now}
    from members m
    where m.workspace_id = ${workspaceId} and m.user_id = any(${userIds}::uuid[]) and m.removed_at is null
    order by m.user_id
    for key share of m
    on conflict do nothing`);
}

/**
 * Makes the followers of tickets follow the ticket that continues them. Those of a merge come along unless it
 * would be hidden from them, because it has more than they saw. A split has only what they saw.
 */
export async function carryFollowers(
  tx: Tx,
  workspaceId: WorkspaceId,
  { from, to, isSplit = false }: { from: readonly TicketId[]; to: TicketId; isSplit?: boolean },
): Promise<void> {
  const of = { teamId: sql`t.team_id`, userId: sql`f.user_id` };
  await tx.run(sql`
    insert into ticket_followers (workspace_id, ticket_id, user_id, created_at)
    select distinct f.workspace_id, ${to}::uuid, f.user_id, ${tx.now}::timestamptz
    from ticket_followers f
    join tickets t on t.workspace_id = ${workspaceId} and t.id = ${to}
    where f.workspace_id = ${workspaceId} and f.ticket_id = any(${from}::uuid[])
      and (${isSplit}::boolean or not (${isHiddenBy(workspaceId, of)} or ${isBeyondAccess(workspaceId, of)}))
    order by f.user_id
    on conflict do nothing`);
}
