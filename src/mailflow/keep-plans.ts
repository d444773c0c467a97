import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';

/**
 * Has what follows in the transaction carried out by plans that PostgreSQL keeps, made for a workspace of average size. Of a statement
 * with a list of ids it otherwise makes one for the workspace itself each time. Those take as long as what they are for; and while
 * statistics do not know the workspace, which is so when its first mails come, they are for one without rows, and read an index of all
 * of it for each mail.
 */
export async function keepPlans(tx: Tx): Promise<void> {
  await tx.run(sql`set local plan_cache_mode = force_generic_plan`);
}
