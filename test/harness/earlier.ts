import { type Sql, sql } from '../../src/ground/database/sql.ts';

/**
 * The time of a column, moved into the past by a span such as `2 days`. Citus refuses an update with `column - span`,
 * whose result depends on the session's time zone.
 */
export function earlier(column: Sql, span: string): Sql {
  return sql`(${column} at time zone 'UTC' - ${span}::interval) at time zone 'UTC'`;
}
