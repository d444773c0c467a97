import type { App } from '../../src/app.ts';
import type { WorkspaceId } from '../../src/ground/lib/ids.ts';
import { ingestPending } from '../../src/transport/mailflow/ingest-pending.ts';

/** Ingests a workspace's pending mail, as due work does. */
export function ingestNow(app: App, workspaceId: WorkspaceId, stopping = new AbortController().signal): Promise<void> {
  return ingestPending(app)({ workspaceId }, stopping);
}
