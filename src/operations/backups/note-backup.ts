import type { Db } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

/** Enough to see a rhythm. */
const keptMax = 100;

/** Records a finished backup, for the metrics. */
export async function noteBackup(db: Db, takenAt: string): Promise<void> {
  await db.tx(async (tx) => {
    await tx.run(sql`insert into backups (taken_at) values (${takenAt}::timestamptz)`);
    await tx.run(sql`
      delete from backups
      where id not in (select b.id from backups b order by b.taken_at desc limit ${keptMax})`);
  });
}
