import type { JobName } from '../catalog/jobs.ts';
import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';

/** Deletes the jobs of a name that were added until `until`. No worker may run. */
export async function dropJobs(tx: Tx, name: JobName, until: string): Promise<void> {
  await tx.run(sql`
    delete from graphile_worker._private_jobs j
    using graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = ${name} and j.created_at <= ${until}::timestamptz`);
}
