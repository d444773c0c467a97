import type { Db, Queryable } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../../ground/queue/due-work.ts';
import { holdLease, isFree, type Lease, type LeaseKey, takeLease } from '../../../ground/queue/lease.ts';

/** Lists the imports whose files are not deleted yet. The imports that waited longest come first. */
export function listDueImports(db: Queryable, { within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select i.workspace_id as "workspaceId", i.id
    from mail_imports i
    where i.has_files and ${isFree('import', 'i')} ${within(sql`i.workspace_id`)} ${except(sql`i.id`)}
    order by i.worked_at nulls first
    limit ${rowsMax}`);
}

/** Undefined when there is nothing to do, or another process does it. */
export async function takeImport(db: Db, { workspaceId, id }: LeaseKey): Promise<Lease | undefined> {
  const lease = { workspaceId, id, holder: newId() };
  const begun = { when: sql`l.has_files`, set: sql`, worked_at = now()` };
  const taken = await db.tx((tx) => takeLease(tx, 'import', lease, begun));
  return taken === undefined ? undefined : holdLease(db, 'import', lease);
}
