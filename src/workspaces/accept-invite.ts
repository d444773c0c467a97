import { voidInvitationTokens } from '../accounts/link-token.ts';
import { AppError } from '../lib/errors.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';
import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

export type AcceptInvite = { workspaceId: WorkspaceId; inviteId: string; userId: UserId };

/**
 * Makes the invited person a member; other invitations of the address to this workspace have had their day with it.
 * Throws 410 `auth.link_expired` when the invitation is no longer pending, 409 `invite.already_member`.
 */
export async function acceptInvite(tx: Tx, { workspaceId, inviteId, userId }: AcceptInvite): Promise<void> {
  // Joins take turns: two invitations of one person, accepted at once, would each wait for the other's row below.
  await tx.run(sql`select 1 from workspaces where id = ${workspaceId} for no key update`);
  const accepted = await tx.maybe<{ emailKey: string }>(sql`
    update invites set accepted_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${inviteId}
      and accepted_at is null and revoked_at is null and expires_at > ${tx.now}
    returning email_key as "emailKey"`);
  if (accepted === undefined) throw new AppError('auth.link_expired');
  const joined = await tx.run(sql`
    insert into members (workspace_id, user_id, role, created_at)
    select workspace_id, ${userId}, role, ${tx.now}
    from invites
    where workspace_id = ${workspaceId} and id = ${inviteId}
    on conflict (workspace_id, user_id) do nothing`);
  if (joined === 0) throw new AppError('invite.already_member');
  await voidInvitationTokens(tx, { workspaceId, inviteId });
  await tx.run(sql`
    update invites set revoked_at = ${tx.now}
    where workspace_id = ${workspaceId} and email_key = ${accepted.emailKey} and accepted_at is null and revoked_at is null`);
}
