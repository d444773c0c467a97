import type { AccountAuditType, AuditEvents, AuditType } from '../catalog/audit.ts';
import type { Tx } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';
import { firstCodePoints } from '../lib/text.ts';
import { caller, correlation } from '../platform/correlation.ts';

/** Who acted, and in which workspace: an Actor, or a person who is none yet. */
export type AuditActor = { workspaceId: WorkspaceId; userId: UserId; keyId?: string | null };
/** What the service does by itself. */
type Service = { workspaceId: WorkspaceId; userId: null; keyId?: null };
export type AuditEntry<Type extends AuditType> = { type: Type; subjectId: string; data: AuditEvents[Type] };

/**
 * Keeps in a workspace's audit log who did what, in the transaction of the change itself; where the request came from is
 * added by itself. May be sent along with others.
 */
export async function audit<Type extends Exclude<AuditType, AccountAuditType>>(
  tx: Tx,
  { workspaceId, userId, keyId = null }: AuditActor | Service,
  { type, subjectId, data }: AuditEntry<Type>,
): Promise<void> {
  await tx.run(sql`
    insert into audit_log (workspace_id, id, type, actor_user_id, actor_key_id, subject_id, data, ${originColumns}, created_at)
    values (${workspaceId}, ${tx.newId()}, ${type}, ${userId}, ${keyId}, ${subjectId}, ${JSON.stringify(data)}, ${origin()},
      ${tx.now})`);
}

export type AccountAuditEntry<Type extends AccountAuditType> = {
  type: Type;
  /** Whose account. One that there is not leaves no entry, at the same cost. */
  userId: UserId;
  /** That it was themselves is known; left out: it was. */
  isByOwner?: boolean;
  data: AuditEvents[Type];
};

/**
 * The same for what befalls an account: an entry, of one id, in each workspace that the person is a member of now. So each
 * workspace's entries are its own, and who joins brings no past along.
 */
export async function auditAccount<Type extends AccountAuditType>(
  tx: Tx,
  { type, userId, isByOwner = true, data }: AccountAuditEntry<Type>,
): Promise<void> {
  await tx.run(sql`
    insert into audit_log (workspace_id, id, type, actor_user_id, actor_key_id, subject_id, data, ${originColumns}, created_at)
    select m.workspace_id, ${tx.newId()}::uuid, ${type}::text, ${isByOwner ? userId : null}::uuid, null, ${userId}::uuid,
      ${JSON.stringify(data)}::jsonb, ${origin()}, ${tx.now}::timestamptz
    from members m
    where m.user_id = ${userId} and m.removed_at is null`);
}

const userAgentCodePointsMax = 500;
const originColumns: Sql = sql`ip, user_agent, correlation_id`;

function origin(): Sql {
  const { ip = null, headers } = caller.getStore() ?? {};
  const userAgent = headers?.['user-agent'];
  return sql`${ip}::text, ${userAgent === undefined ? null : firstCodePoints(userAgent, userAgentCodePointsMax)}::text,
      ${correlation.getStore() ?? null}::text`;
}
