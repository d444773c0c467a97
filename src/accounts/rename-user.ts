import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { UserId } from '../lib/ids.ts';

/** @param name null removes the name */
export async function renameUser(tx: Tx, userId: UserId, name: string | null): Promise<void> {
  await tx.run(sql`update users set name = ${name} where id = ${userId}`);
}
