import type { Actor } from '../../ground/catalog/actor.ts';
import { type Role, roleMay } from '../../ground/catalog/permissions.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { audit } from '../audit/audit.ts';
import { limitNewRecipients } from './limit-recipients.ts';
import { standingsOf } from './member-standing.ts';
import { invitationDays, inviteColumns } from './queries.ts';
import type { Invite } from './schema.ts';

export type InviteMember = { email: string; role: Role; access?: Invite['access'] };

/** Counts pending invitations and those revoked within a day, so that an owner cannot send unlimited mail. */
const pendingMax = 1_000;
const pendingOfAddressMax = 10;

/**
 * Invites an address. The link goes by mail. Earlier invitations of the address stay valid until the person
 * accepts an invitation. Only owners invite owners. The address counts as a new recipient. Throws 409
 * `invite.already_member` for a member, 409 `invite.too_many`, and 429 `workspace.recipient_limit`.
 */
export async function inviteMember(
  tx: Tx,
  actor: Actor,
  { email, role, access = 'all' }: InviteMember,
): Promise<Invite> {
  const { workspaceId } = actor;
  // Reads the caller's role under the lock: a member who was removed meanwhile must not invite anyone.
  const { callerRole } = await standingsOf(tx, actor, actor.userId);
  if (!roleMay(callerRole, 'member.manage') || (role === 'owner' && callerRole !== 'owner'))
    throw new AppError('auth.role_insufficient');
  await together([refuseMember(tx, workspaceId, email), refuseTooManyMembers(tx, workspaceId, email)]);
  await limitNewRecipients(tx, { workspaceId, emails: [email] });
  const inviteId = tx.newId();
  const [invite] = await together([
    tx.one<Invite>(sql`
      insert into invites as i (workspace_id, id, email, email_key, role, access, invited_by, created_at, expires_at)
      values (${workspaceId}, ${inviteId}, ${email}, ${caseKey(email)}, ${role}, ${access}, ${actor.userId}, ${tx.now},
        ${tx.now}::timestamptz + make_interval(days => ${invitationDays}))
      returning ${inviteColumns}`),
    enqueue(tx, 'system-mail.send', { kind: 'invitation', workspaceId, inviteId }),
    audit(tx, actor, { type: 'invite.created', subjectId: inviteId, data: { email, role } }),
  ]);
  return invite;
}

/** Throws 409 when the address belongs to a member. */
export async function refuseMember(tx: Tx, workspaceId: WorkspaceId, email: string): Promise<void> {
  const member = await tx.maybe(sql`
    select 1
    from users u
    join members m on m.workspace_id = ${workspaceId} and m.user_id = u.id and m.removed_at is null
    where u.email_key = ${caseKey(email)}`);
  if (member !== undefined) throw new AppError('invite.already_member');
}

async function refuseTooManyMembers(tx: Tx, workspaceId: WorkspaceId, email: string): Promise<void> {
  const pending = await tx.one<{ count: number; ofAddress: number }>(sql`
    select count(*), count(*) filter (where i.email_key = ${caseKey(email)}) as "ofAddress"
    from invites i
    where i.workspace_id = ${workspaceId} and i.accepted_at is null and (
      i.revoked_at is null and i.expires_at > ${tx.now} or i.created_at > ${tx.now}::timestamptz - interval '1 day')`);
  if (pending.count >= pendingMax) throw new AppError('invite.too_many', { max: pendingMax });
  if (pending.ofAddress >= pendingOfAddressMax) throw new AppError('invite.too_many', { max: pendingOfAddressMax });
}
