import type { Queryable } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';

/** The tsquery of the word that every vector of a workspace had before each word began with its letters. */
export function formerWord(workspaceId: Sql): Sql {
  return sql`('w' || replace(${workspaceId}::text, '-', ''))::tsquery`;
}

/** For so long a process of the former release may go on beside this one. */
const besideDays = 2;

/** Whether vectors may have been written with the former words since all of them were changed: later, nobody need look. */
export async function mayHaveFormerWords(db: Queryable): Promise<boolean> {
  const changed = await db.maybe(sql`
    select from migrations
    where name = '016_words_of_a_workspace.sql' and ran_at > now() - make_interval(days => ${besideDays})`);
  return changed !== undefined;
}
