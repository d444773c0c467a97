import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { voidInvitationTokens } from '../accounts/link-token.ts';
import { audit } from '../audit/audit.ts';

/** Revokes a pending invitation and voids its links. Throws 404 `invite.not_found` for any other invitation. */
export async function revokeInvite(tx: Tx, actor: Actor, inviteId: string): Promise<void> {
  const { workspaceId } = actor;
  const revoked = await tx.maybe<{ email: string; role: string }>(sql`
    update invites set revoked_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${inviteId}
      and accepted_at is null and revoked_at is null and expires_at > ${tx.now}
    returning email, role`);
  if (revoked === undefined) throw new AppError('invite.not_found');
  // Only owners change owners, including invited owners.
  if (revoked.role === 'owner' && actor.role !== 'owner') throw new AppError('auth.role_insufficient');
  await together([
    voidInvitationTokens(tx, { workspaceId, inviteId }),
    audit(tx, actor, { type: 'invite.revoked', subjectId: inviteId, data: revoked }),
  ]);
}
