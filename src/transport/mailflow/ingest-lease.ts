import { type Db, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/** After a kill, the mails of a workspace wait this long until another process takes them. */
const leaseSeconds = 30;

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
  const until = sql`now() + make_interval(secs => ${leaseSeconds})`;
  const [renewed, made] = await db.tx((tx) =>
    together([
      tx.maybe<Reading>(sql`
        update ingest_leases set lease_until = ${until} where workspace_id = ${workspaceId} and lease_until <= now()
        returning reading, is_again as "isAgain"`),
      tx.run(sql`
        insert into ingest_leases (workspace_id, lease_until) values (${workspaceId}, ${until})
        on conflict do nothing`),
    ]),
  );
  if (renewed === undefined && made === 0) return undefined;
  const { reading, isAgain } = renewed ?? { reading: [], isAgain: false };
  const isDeadly = isAgain && reading.length === 1;
  return {
    readAlone: isDeadly ? 0 : reading.length,
    deadlyId: isDeadly ? reading[0] : undefined,
    noteReading: async (ids, { isAgain }) => {
      await db.tx((tx) =>
        tx.run(sql`
          update ingest_leases set lease_until = ${until}, reading = ${ids}::uuid[], is_again = ${isAgain}
          where workspace_id = ${workspaceId}`),
      );
    },
    end: async () => {
      await db.tx((tx) =>
        tx.run(sql`
          update ingest_leases set lease_until = now(), reading = '{}', is_again = false
          where workspace_id = ${workspaceId}`),
      );
    },
  };
}
