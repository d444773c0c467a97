import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import type { TicketId, UserId } from '../../ground/lib/ids.ts';
import type { Follower } from './follower-schema.ts';

const followerColumns: Sql = sql`f.user_id as "userId", u.email, u.name, f.created_at as "createdAt"`;

/** Lists the followers of a ticket, oldest account first. */
export async function listFollowers(
  db: Queryable,
  scope: Scope,
  { ticketId, limit, cursor }: { ticketId: TicketId; limit: number; cursor: string | undefined },
): Promise<Page<Follower>> {
  const { workspaceId } = scope;
  const behind = cursor === undefined ? emptySql : sql`and f.user_id > ${readIdCursor(cursor)}`;
  const rows = await db.rows<Follower>(sql`
    select ${followerColumns}
    from ticket_followers f
    join members m on m.workspace_id = ${workspaceId} and m.user_id = f.user_id and m.removed_at is null
    join users u on u.id = f.user_id
    where f.workspace_id = ${workspaceId} and f.ticket_id = ${ticketId} and ${ofVisible(scope, 'f.ticket_id')} ${behind}
    order by f.user_id
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ userId }) => userId);
}

export function findFollower(
  db: Queryable,
  scope: Scope,
  { ticketId, userId }: { ticketId: TicketId; userId: UserId },
): Promise<Follower | undefined> {
  const { workspaceId } = scope;
  return db.maybe<Follower>(sql`
    select ${followerColumns}
    from ticket_followers f
    join members m on m.workspace_id = ${workspaceId} and m.user_id = f.user_id and m.removed_at is null
    join users u on u.id = f.user_id
    where f.workspace_id = ${workspaceId} and f.ticket_id = ${ticketId} and f.user_id = ${userId}
      and ${ofVisible(scope, 'f.ticket_id')}`);
}
