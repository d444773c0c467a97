import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { type InviteReference, voidInvitationTokens } from '../accounts/link-token.ts';
import { audit } from '../audit/audit.ts';
import { refuseTooManyWorkspaces } from './create-workspace.ts';
import { lockWorkspace } from './lock-workspace.ts';

export type AcceptInvite = InviteReference & { userId: UserId };

/**
 * Makes the invited person a member, and revokes other invitations of the address to this workspace. Throws 410
 * `auth.link_expired` when the invitation is no longer pending, or 409 `invite.already_member` or `workspace.too_many`.
 */
export async function acceptInvite(tx: Tx, { workspaceId, inviteId, userId }: AcceptInvite): Promise<void> {
  // Serialises joins: two invitations of one person, accepted concurrently, would deadlock on each other's rows below.
  await lockWorkspace(tx, workspaceId);
  const accepted = await tx.maybe<{ email: string; emailKey: string; role: string; access: string }>(sql`
    update invites set accepted_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${inviteId}
      and accepted_at is null and revoked_at is null and expires_at > ${tx.now}
    returning email, email_key as "emailKey", role, access`);
  if (accepted === undefined) throw new AppError('auth.link_expired');
  const { email, emailKey, role, access } = accepted;
  await refuseTooManyWorkspaces(tx, userId);
  const joined = await tx.run(sql`
    insert into members (workspace_id, user_id, role, access, created_at)
    values (${workspaceId}, ${userId}, ${role}, ${access}, ${tx.now})
    on conflict (workspace_id, user_id) do nothing`);
  if (joined === 0) await refuseMember(tx, { workspaceId, userId });
  await together([
    voidInvitationTokens(tx, { workspaceId, inviteId }),
    tx.run(sql`
      update invites set revoked_at = ${tx.now}
      where workspace_id = ${workspaceId} and email_key = ${emailKey} and accepted_at is null and revoked_at is null`),
    audit(tx, { workspaceId, userId }, { type: 'invite.accepted', subjectId: inviteId, data: { email, role } }),
  ]);
}

/** Throws 503 for a removed member while their many tickets are being released. They can join again after that. */
async function refuseMember(tx: Tx, { workspaceId, userId }: Omit<AcceptInvite, 'inviteId'>): Promise<never> {
  const leaving = await tx.maybe(sql`
    select 1 from members where workspace_id = ${workspaceId} and user_id = ${userId} and removed_at is not null`);
  if (leaving !== undefined) throw new AppError('unavailable', {}, { headers: { 'retry-after': '10' } });
  throw new AppError('invite.already_member');
}
