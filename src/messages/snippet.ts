import { type Sql, sql } from '../database/sql.ts';

/** The beginning of a text on one line, with mentions shown as names. */
export function snippetOf(text: Sql): Sql {
  return sql`left(btrim(regexp_replace(
      regexp_replace(left(${text}, 1000), '@\\[(.*?)\\]\\(user:[-0-9a-fA-F]+\\)', '@\\1', 'g'),
      '\\s+', ' ', 'g')), 160)`;
}
