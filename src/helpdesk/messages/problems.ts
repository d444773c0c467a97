import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import { listedMailColumns, mailsWhere } from './listed-mail.ts';
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
  return mailsWhere(scope, isProblem);
}

/** Lists the messages that did not arrive and are not handled, newest first. */
export async function listUndelivered(
  db: Queryable,
  scope: Scope,
  { limit, cursor, delivery }: { limit: number; cursor?: string; delivery?: readonly DeliveryProblem[] },
): Promise<Page<Undelivered>> {
  const before = cursor === undefined ? emptySql : sql`and m.id < ${readIdCursor(cursor)}::uuid`;
  const ofStatus = delivery === undefined ? emptySql : sql`and m.delivery_status = any(${delivery}::text[])`;
  const rows = await db.rows<Undelivered>(sql`
    select ${listedMailColumns},
      m.delivery_status as status, m.delivery_error as error, m.delivery_attempts as attempts,
      case when m.delivery_status = 'bounced' then m.delivery_bounce_kind end as "bounceKind",
      case when m.delivery_status = 'bounced' then m.delivery_enhanced_status_code end as "enhancedStatusCode"
    ${problemsOf(scope)} ${ofStatus} ${before}
    order by m.id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}
