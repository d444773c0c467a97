import type { Actor } from '../../ground/catalog/actor.ts';
import type { Role } from '../../ground/catalog/permissions.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError, rateLimited } from '../../ground/lib/errors.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { claimTurn } from '../accounts/throttle.ts';
import { audit } from '../audit/audit.ts';
import { refuseMember } from './invite-member.ts';
import { invitationDays, inviteColumns } from './queries.ts';
import type { Invite } from './schema.ts';

const everySeconds = 60;

/**
 * Mails an invitation again with a new link for another 7 days. An expired invitation becomes pending again. Earlier
 * links stay valid until they expire. Throws 429 for a second mail within a minute, and 404 for an invitation that was
 * accepted or revoked.
 */
export async function resendInvite(tx: Tx, actor: Actor, inviteId: string): Promise<Invite> {
  const { workspaceId } = actor;
  const invite = await tx.maybe<{ email: string; role: Role }>(sql`
    update invites i set expires_at = ${tx.now}::timestamptz + make_interval(days => ${invitationDays})
    where i.workspace_id = ${workspaceId} and i.id = ${inviteId} and i.accepted_at is null and i.revoked_at is null
    returning i.email, i.role`);
  if (invite === undefined) throw new AppError('invite.not_found');
  // Only owners invite owners, so only owners resend such an invitation.
  if (invite.role === 'owner' && actor.role !== 'owner') throw new AppError('auth.role_insufficient');
  await refuseMember(tx, workspaceId, invite.email);
  const waitSeconds = await claimTurn(tx, { action: 'resend-invite', subject: inviteId, everySeconds });
  if (waitSeconds > 0)
    throw rateLimited({ name: 'invitation-mails', max: 1, windowSeconds: everySeconds }, waitSeconds);
  const [resent] = await together([
    tx.one<Invite>(sql`
      select ${inviteColumns} from invites i where i.workspace_id = ${workspaceId} and i.id = ${inviteId}`),
    enqueue(tx, 'system-mail.send', { kind: 'invitation', workspaceId, inviteId }),
    audit(tx, actor, {
      type: 'invite.resent',
      subjectId: inviteId,
      data: { email: invite.email, role: invite.role },
    }),
  ]);
  return resent;
}
