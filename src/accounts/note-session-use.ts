import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';

/** How exact a session's last use is: a row written with every request would be what the service does most. */
export const sessionUseSeconds = 300;

/** Notes that a session is in use. Of many requests at once one does it and none waits. */
export async function noteSessionUse(tx: Tx, sessionId: string): Promise<void> {
  await tx.run(sql`
    update sessions set last_used_at = ${tx.now}
    where id in (select id from sessions where id = ${sessionId} and ended_at is null for no key update skip locked)`);
}
