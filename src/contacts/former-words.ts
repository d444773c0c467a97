import type { Queryable } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';

/**
 * A tsquery for the word that an earlier release added to each vector of a workspace. Now every word begins with the
 * workspace's letters instead.
 */
export function formerWord(workspaceId: Sql): Sql {
  return sql`('w' || replace(${workspaceId}::text, '-', ''))::tsquery`;
}

/** How long a process of the earlier release may run beside this release. */
const besideDays = 2;

/** Whether the earlier release may have written vectors after migration 016 rewrote all of them. */
export async function mayHaveFormerWords(db: Queryable): Promise<boolean> {
  const changed = await db.maybe(sql`
    select from migrations
    where name = '016_words_of_a_workspace.sql' and ran_at > now() - make_interval(days => ${besideDays})`);
  return changed !== undefined;
}
