import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/** One transaction at a time ingests mails of a workspace. May share a round trip. */
export async function awaitIngestTurn(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`ingest ${workspaceId}`}, 0))`);
}
