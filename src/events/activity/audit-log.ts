import { type AuditType, auditSubjects } from '../../ground/catalog/audit.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { badCursor, decodeCursor, encodeCursor, isCursorTime, type Page } from '../../ground/lib/cursor.ts';
import { isUuid, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { AuditLogEntry, AuditQuery } from './audit-schema.ts';

const limitDefault = 50;

type AuditRow = Omit<AuditLogEntry, 'actor' | 'subject'> & {
  type: AuditType;
  actorId: UserId | null;
  actorName: string | null;
  apiKeyId: string | null;
  apiKeyName: string | null;
  subjectId: string;
  subjectName: string | null;
  webhookUrl: string | null;
};

/** The audit log of a workspace, newest first. Throws 400 for an invalid cursor. */
export async function listAuditLog(
  db: Queryable,
  { workspaceId }: { workspaceId: WorkspaceId },
  { type, actor, from, to, limit = limitDefault, cursor }: AuditQuery,
): Promise<Page<AuditLogEntry>> {
  const rows = await db.rows<AuditRow>(sql`
    select a.id, a.type, a.actor_user_id as "actorId", coalesce(u.name, u.email) as "actorName",
      a.actor_key_id as "apiKeyId", k.name as "apiKeyName", a.subject_id as "subjectId",
      coalesce(s.name, s.email, w.name, m.address, t.name) as "subjectName", h.url as "webhookUrl", a.data,
      a.ip, a.user_agent as "userAgent",
      a.correlation_id as "correlationId", a.created_at as "createdAt"
    from audit_log a
    left join users u on u.id = a.actor_user_id
    left join api_keys k on k.workspace_id = ${workspaceId} and k.id = a.actor_key_id
    left join users s on s.id = a.subject_id
    left join workspaces w on w.id = ${workspaceId} and w.id = a.subject_id
    left join mailboxes m on m.workspace_id = ${workspaceId} and m.id = a.subject_id
    left join teams t on t.workspace_id = ${workspaceId} and t.id = a.subject_id
    left join webhooks h on h.workspace_id = ${workspaceId} and h.id = a.subject_id
    where a.workspace_id = ${workspaceId}
      ${type === undefined ? emptySql : sql`and a.type = any(${type}::text[])`}
      ${actor === undefined ? emptySql : sql`and a.actor_user_id = ${actor}`}
      ${from === undefined ? emptySql : sql`and a.created_at >= ${from}::timestamptz`}
      ${to === undefined ? emptySql : sql`and a.created_at < ${to}::timestamptz`}
      ${cursor === undefined ? emptySql : behind(cursor)}
    order by a.created_at desc, a.id desc
    limit ${limit + 1}`);
  const items = rows.slice(0, limit).map(entryOf);
  const last = items.at(-1);
  return rows.length > limit && last !== undefined
    ? { items, nextCursor: encodeCursor({ at: last.createdAt, id: last.id }) }
    : { items };
}

function behind(cursor: string): Sql {
  const position = decodeCursor(cursor) as { at?: unknown; id?: unknown } | null | undefined;
  const { at, id } = position ?? {};
  if (!isCursorTime(at) || typeof id !== 'string' || !isUuid(id)) throw badCursor();
  return sql`and (a.created_at, a.id) < (${at}::timestamptz, ${id}::uuid)`;
}

function entryOf(row: AuditRow): AuditLogEntry {
  const { actorId, actorName, apiKeyId, apiKeyName, subjectId, subjectName, webhookUrl, ...entry } = row;
  // The path of a webhook's address can hold a secret.
  const name = subjectName ?? (webhookUrl === null ? nameIn(entry.data) : new URL(webhookUrl).origin);
  return {
    ...entry,
    actor: actorId === null ? null : { userId: actorId, name: actorName, apiKeyId, apiKeyName },
    subject: { type: auditSubjects[entry.type], id: subjectId, name },
  };
}

/** The name that the details give to a subject that may no longer exist. */
function nameIn(data: object): string | null {
  const { name, address, email, origin, ticketNumber } = data as Record<string, unknown>;
  const found = [name, address, email, origin].find((value) => typeof value === 'string');
  if (found !== undefined) return found as string; // `find` tested it
  return typeof ticketNumber === 'number' ? `#${ticketNumber}` : null;
}
