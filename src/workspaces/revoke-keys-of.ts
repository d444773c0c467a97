import type { UserId } from '../lib/ids.ts';
import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

/** Takes back every API key that acts as a person, in whatever workspace. */
export async function revokeKeysOf(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`delete from api_keys where user_id = ${userId}`);
}
