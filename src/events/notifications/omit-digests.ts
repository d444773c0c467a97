import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

/** Lets digests leave out the notifications of all workspaces until `until`. */
export async function omitDigests(tx: Tx, until: string): Promise<void> {
  await tx.run(sql`
    update notifications set mailed_at = ${tx.now}
    where (mailed_at is null or title_of_many is not null) and read_at is null
      and created_at <= ${until}::timestamptz`);
}
