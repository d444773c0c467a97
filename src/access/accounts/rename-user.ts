import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';

/** @param name null removes the name */
export async function renameUser(tx: Tx, userId: UserId, name: string | null): Promise<void> {
  await tx.run(sql`update users set name = ${name} where id = ${userId}`);
}
