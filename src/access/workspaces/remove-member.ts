import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { audit } from '../audit/audit.ts';
import { manageable, standingsOf } from './member-standing.ts';
import type { Membership } from './queries.ts';

/**
 * Removes a member, or lets the caller leave. From the commit on the gate refuses them, their API keys are deleted and
 * their pending invitations revoked: otherwise they could invite themselves back. `dropMembership` deletes the row once
 * no ticket refers to it. Throws 403, 404, and 409 `member.last_owner`.
 */
export async function removeMember(tx: Tx, actor: Actor, userId: UserId): Promise<void> {
  const { workspaceId } = actor;
  const isThemselves = userId === actor.userId;
  const standings = await standingsOf(tx, actor, userId);
  const member = isThemselves ? standings.member : manageable(standings);
  if (member === undefined) throw new AppError('member.not_found');
  if (member.isOnlyOwner) throw new AppError('member.last_owner');
  tx.revokes();
  await together([
    tx.run(sql`
      update members set removed_at = ${tx.now} where workspace_id = ${workspaceId} and user_id = ${userId}`),
    tx.run(sql`delete from api_keys where workspace_id = ${workspaceId} and user_id = ${userId}`),
    tx.run(sql`
      update invites set revoked_at = ${tx.now}
      where workspace_id = ${workspaceId} and invited_by = ${userId} and accepted_at is null and revoked_at is null`),
    audit(tx, actor, {
      type: isThemselves ? 'member.left' : 'member.removed',
      subjectId: userId,
      data: { role: member.role },
    }),
  ]);
}

/** @returns whether the member is removed and not dropped yet. Locks the row, so the answer holds until the commit. */
export async function isLeaving(tx: Tx, { workspaceId, userId }: Membership): Promise<boolean> {
  const leaving = await tx.maybe(sql`
    select 1 from members
    where workspace_id = ${workspaceId} and user_id = ${userId} and removed_at is not null
    for no key update`);
  return leaving !== undefined;
}

/** Waits for transactions that add references to a removed member, and blocks new references. */
export async function closeMembership(tx: Tx, { workspaceId, userId }: Membership): Promise<void> {
  await tx.run(sql`select 1 from members where workspace_id = ${workspaceId} and user_id = ${userId} for update`);
}

/** Deletes a removed member with notifications and personal views, so that a member who rejoins starts clean. */
export async function dropMembership(tx: Tx, { workspaceId, userId }: Membership): Promise<void> {
  await tx.run(sql`
    delete from members where workspace_id = ${workspaceId} and user_id = ${userId} and removed_at is not null`);
}
