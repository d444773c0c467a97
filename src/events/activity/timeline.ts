import type { Cause } from '../../ground/catalog/cause.ts';
import { everything, type Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible, shownId, visible } from '../../ground/database/visible.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import type { TicketId, UserId } from '../../ground/lib/ids.ts';

export type TimelineEvent = {
  id: string;
  type: string;
  actor: { type: 'customer' | 'agent' | 'system'; userId: UserId | null; name: string | null };
  data: object;
  /** The number of the other ticket that the fact names, if there is one that the reader sees. */
  otherNumber?: number;
  cause?: Cause;
  createdAt: string;
};

/** The facts of a ticket, oldest first. */
export async function listTimeline(
  db: Queryable,
  scope: Scope,
  { ticketId, limit, cursor }: { ticketId: TicketId; limit: number; cursor?: string },
): Promise<Page<TimelineEvent>> {
  const { workspaceId } = scope;
  const after = cursor === undefined ? emptySql : sql`and a.id > ${readIdCursor(cursor)}::uuid`;
  const rows = await db.rows<
    Omit<TimelineEvent, 'actor' | 'cause' | 'otherNumber'> & {
      actorType: TimelineEvent['actor']['type'];
      userId: UserId | null;
      name: string | null;
      otherNumber: number | null;
      cause: Cause | null;
    }
  >(sql`
    select a.id, a.type, a.actor_type as "actorType", a.actor_user_id as "userId", coalesce(u.name, u.email) as name,
      ${shownData(scope)} as data, o.ticket_number as "otherNumber", a.cause, a.created_at as "createdAt"
    from activity a
    left join users u on u.id = a.actor_user_id
    left join tickets o on o.workspace_id = ${workspaceId} and ${visible(scope, 'o')}
      and o.id = coalesce(a.data ->> 'intoTicketId', a.data ->> 'fromTicketId', a.data ->> 'sourceTicketId')::uuid
    where a.workspace_id = ${workspaceId} and a.ticket_id = ${ticketId} and ${ofVisible(scope, 'a.ticket_id')} ${after}
    order by a.id
    limit ${limit + 1}`);
  const events = rows.map(({ actorType, userId, name, cause, otherNumber, ...event }) => ({
    ...event,
    ...(otherNumber !== null && { otherNumber }),
    ...(cause !== null && { cause }),
    actor: { type: actorType, userId, name },
  }));
  return pageOf(events, limit, ({ id }) => id);
}

/** The details of fact `a`. They may name one other ticket: which was merged with it, split off or continued. */
function shownData(scope: Scope): Sql {
  if (scope.sight === everything) return sql`a.data`;
  return sql`case when a.data ?| ${otherTickets} then a.data || (
      select jsonb_object_agg(other.key, ${shownId(scope, sql`(other.value #>> '{}')::uuid`)})
      from jsonb_each(a.data) other
      where other.key = any(${otherTickets})
    ) else a.data end`;
}

const otherTickets: Sql = sql`array['intoTicketId', 'fromTicketId', 'sourceTicketId']`;
