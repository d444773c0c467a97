import type { Principal } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import type { OwnSession } from './schema.ts';
import { refreshTokenDays } from './start-session.ts';

const limitDefault = 100;

export type ListOwnSessions = { limit?: number; cursor?: string; now: Date };

/** A user's open sessions, the newest sign-in first. Throws 400 for an invalid cursor. */
export async function listOwnSessions(
  db: Queryable,
  { userId, sessionId }: Principal,
  { limit = limitDefault, cursor, now }: ListOwnSessions,
): Promise<Page<OwnSession>> {
  const behind = cursor === undefined ? emptySql : sql`and s.id < ${readIdCursor(cursor)}`;
  const rows = await db.rows<OwnSession>(sql`
    select s.id, s.user_agent as "userAgent", s.ip, s.created_at as "createdAt", s.last_used_at as "lastUsedAt",
      s.id = ${sessionId} as "isCurrent"
    from sessions s
    where s.user_id = ${userId} and s.ended_at is null
      and s.last_used_at > ${now}::timestamptz - make_interval(days => ${refreshTokenDays}::int) ${behind}
    order by s.id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}
