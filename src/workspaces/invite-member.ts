import type { Actor } from '../catalog/actor.ts';
import type { Role } from '../catalog/permissions.ts';
import { AppError } from '../lib/errors.ts';
import { caseKey } from '../lib/text.ts';
import { type Tx, together } from '../platform/db.ts';
import { enqueue } from '../platform/enqueue.ts';
import { sql } from '../platform/sql.ts';
import type { Invite } from './schema.ts';

export type InviteMember = { email: string; role: Role };

const invitationDays = 7;

/** Invites an address; the link goes there by mail alone. Only owners invite owners; a member: 409 `invite.already_member`. */
export async function inviteMember(tx: Tx, actor: Actor, { email, role }: InviteMember): Promise<Invite> {
  const { workspaceId } = actor;
  if (role === 'owner' && actor.role !== 'owner') throw new AppError('auth.role_insufficient');
  const member = await tx.maybe(sql`
    select 1
    from users u
    join members m on m.workspace_id = ${workspaceId} and m.user_id = u.id
    where u.email_key = ${caseKey(email)}`);
  if (member !== undefined) throw new AppError('invite.already_member');
  const inviteId = tx.newId();
  const [invite] = await together([
    tx.one<Invite>(sql`
      insert into invites (workspace_id, id, email, email_key, role, invited_by, created_at, expires_at)
      values (${workspaceId}, ${inviteId}, ${email}, ${caseKey(email)}, ${role}, ${actor.userId}, ${tx.now},
        ${tx.now}::timestamptz + make_interval(days => ${invitationDays}))
      returning id, email, role, invited_by as "invitedBy", created_at as "createdAt", expires_at as "expiresAt"`),
    enqueue(tx, 'system-mail.send', { kind: 'invitation', workspaceId, inviteId }),
  ]);
  return invite;
}
