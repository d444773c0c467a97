import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

/** Records the last use at most this often. A write with every request would be our most frequent statement. */
export const sessionUseSeconds = 300;

/** Records that a session is in use. Of many concurrent requests one writes the row, and the others do not wait. */
export async function noteSessionUse(tx: Tx, sessionId: string): Promise<void> {
  await tx.run(sql`
    update sessions set last_used_at = ${tx.now}
    where id in (select id from sessions where id = ${sessionId} and ended_at is null for no key update skip locked)`);
}
