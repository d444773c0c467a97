import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { snippetOf } from '../../ground/database/snippet.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import type { MessageId, TicketId, UserId } from '../../ground/lib/ids.ts';
import type { DeliveryProblem, Undelivered } from './schema.ts';

/**
 * The condition that message `m` did not arrive, or may not have arrived, and that nobody has handled this. It names
 * the statuses as literals, so that a plan that knows no values uses the partial index. An automatic reply is nobody's
 * problem: who wrote still waits for a person.
 */
export const isProblem: Sql = sql`m.delivery_status in ('failed', 'bounced', 'uncertain')
  and m.delivery_handled_at is null and m.automatic_kind is null`;

/** Messages with a problem, of tickets that are neither in the trash nor spam. */
export function problemsOf(scope: Scope): Sql {
  const { workspaceId } = scope;
  return sql`
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and ${isProblem} and t.trashed_at is null
      and t.spam_at is null and ${visible(scope, 't')}`;
}

type ProblemRow = {
  id: MessageId;
  ticketId: TicketId;
  ticketNumber: number;
  subject: string;
  authorUserId: UserId | null;
  authorName: string | null;
  to: string[];
  cc: string[];
  bcc: string[];
  snippet: string;
  status: DeliveryProblem;
  error: string | null;
  attempts: number;
  bounceKind: Undelivered['bounceKind'];
  enhancedStatusCode: string | null;
  createdAt: string;
};

/** Lists the messages that did not arrive and are not handled, newest first. */
export async function listUndelivered(
  db: Queryable,
  scope: Scope,
  { limit, cursor, delivery }: { limit: number; cursor?: string; delivery?: readonly DeliveryProblem[] },
): Promise<Page<Undelivered>> {
  const before = cursor === undefined ? emptySql : sql`and m.id < ${readIdCursor(cursor)}::uuid`;
  const ofStatus = delivery === undefined ? emptySql : sql`and m.delivery_status = any(${delivery}::text[])`;
  const rows = await db.rows<ProblemRow>(sql`
    select m.id, m.ticket_id as "ticketId", t.ticket_number as "ticketNumber", t.subject,
      m.author_user_id as "authorUserId", m.author_name as "authorName", m.to_addresses as "to",
      m.cc_addresses as cc, m.bcc_addresses as bcc, ${snippetOf(sql`coalesce(m.reply_text, m.body)`)} as snippet,
      m.delivery_status as status, m.delivery_error as error, m.delivery_attempts as attempts,
      case when m.delivery_status = 'bounced' then m.delivery_bounce_kind end as "bounceKind",
      case when m.delivery_status = 'bounced' then m.delivery_enhanced_status_code end as "enhancedStatusCode",
      m.created_at as "createdAt"
    ${problemsOf(scope)} ${ofStatus} ${before}
    order by m.id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}
