import { type Db, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { leasedFor, takeLease } from '../../ground/queue/lease.ts';

type Reading = { reading: string[]; isAgain: boolean };

/**
 * The right of one process to ingest a workspace's pending mail. It names the mails that are being read, so that a mail
 * that ends the process does not end each next one as well.
 */
export type IngestLease = {
  /**
   * How many of the oldest mails to read alone, because they were being read together when a process died. One of them
   * may have ended it.
   */
  readonly readAlone: number;
  /** The mail that was being read alone when a process died again. Nobody reads it a third time. */
  readonly deadlyId: string | undefined;
  /** Names the mails that are read next, before that begins, and keeps the lease. */
  noteReading(ids: readonly string[], options: { isAgain: boolean }): Promise<void>;
  end(): Promise<void>;
};

/**
 * Two statements, because Citus takes no `now()` as the condition of a conflict.
 * @returns undefined if another process has the lease
 */
export async function takeIngestLease(db: Db, workspaceId: WorkspaceId): Promise<IngestLease | undefined> {
  const lease = { workspaceId, id: workspaceId };
  const [, taken] = await db.tx((tx) =>
    together([
      tx.run(sql`
        insert into ingest_leases (workspace_id, lease_until) values (${workspaceId}, '-infinity')
        on conflict do nothing`),
      takeLease<Reading>(tx, 'ingest', lease, { returning: sql`reading, is_again as "isAgain"` }),
    ]),
  );
  if (taken === undefined) return undefined;
  const { reading, isAgain } = taken;
  const isDeadly = isAgain && reading.length === 1;
  return {
    readAlone: isDeadly ? 0 : reading.length,
    deadlyId: isDeadly ? reading[0] : undefined,
    noteReading: async (ids, { isAgain }) => {
      await db.tx((tx) =>
        tx.run(sql`
          update ingest_leases set ${leasedFor('ingest')}, reading = ${ids}::uuid[], is_again = ${isAgain}
          where workspace_id = ${workspaceId}`),
      );
    },
    end: async () => {
      await db.tx((tx) =>
        tx.run(sql`
          update ingest_leases set ${leasedFor('ingest', 0)}, reading = '{}', is_again = false
          where workspace_id = ${workspaceId}`),
      );
    },
  };
}
