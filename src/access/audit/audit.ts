import type { AccountAuditType, AuditEvents, AuditType } from '../../ground/catalog/audit.ts';
import type { Tx } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { firstCodePoints } from '../../ground/lib/text.ts';
import { caller, correlation } from '../../ground/platform/correlation.ts';

/** Who acted, and in which workspace: an Actor, or a user who is not a member yet. */
export type AuditActor = { workspaceId: WorkspaceId; userId: UserId; keyId?: string | null };
/** The service itself acts. */
type Service = { workspaceId: WorkspaceId; userId: null; keyId?: null };
export type AuditEntry<Type extends AuditType> = { type: Type; subjectId: string; data: AuditEvents[Type] };

/** Writes an entry to a workspace's audit log, in the transaction of the change. Adds the origin of the request. */
export async function audit<Type extends Exclude<AuditType, AccountAuditType>>(
  tx: Tx,
  { workspaceId, userId, keyId = null }: AuditActor | Service,
  { type, subjectId, data }: AuditEntry<Type>,
): Promise<void> {
  await tx.run(sql`
    insert into audit_log
      (workspace_id, id, type, actor_user_id, actor_key_id, subject_id, data, ${originColumns}, created_at)
    values (${workspaceId}, ${tx.newId()}, ${type}, ${userId}, ${keyId}, ${subjectId}, ${JSON.stringify(data)},
      ${origin()}, ${tx.now})`);
}

export type AccountAuditEntry<Type extends AccountAuditType> = {
  type: Type;
  /** The owner of the account. An unknown id leaves no entry, at the same cost. */
  userId: UserId;
  /** Whether the owner certainly acted; true by default. */
  isByOwner?: boolean;
  data: AuditEvents[Type];
};

/**
 * Writes an entry about an account to each workspace of which the user is a member now, with one id for all. So each
 * workspace owns its entries, and a user who joins brings no past along.
 */
export async function auditAccount<Type extends AccountAuditType>(
  tx: Tx,
  { type, userId, isByOwner = true, data }: AccountAuditEntry<Type>,
): Promise<void> {
  await tx.run(sql`
    insert into audit_log
      (workspace_id, id, type, actor_user_id, actor_key_id, subject_id, data, ${originColumns}, created_at)
    select m.workspace_id, ${tx.newId()}::uuid, ${type}::text, ${isByOwner ? userId : null}::uuid, null,
      ${userId}::uuid, ${JSON.stringify(data)}::jsonb, ${origin()}, ${tx.now}::timestamptz
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
