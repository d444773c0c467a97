import type { UserId, WorkspaceId } from '../lib/ids.ts';
import { type Tx, together } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { addInboundAddress } from './inbound-address.ts';
import type { Workspace } from './schema.ts';

/** Makes a workspace with its first owner; its tickets are numbered from 1. */
export async function createWorkspace(tx: Tx, input: { name: string; ownerId: UserId }): Promise<Workspace> {
  const id: WorkspaceId = tx.newId();
  await together([
    tx.run(sql`insert into workspaces (id, name, created_at) values (${id}, ${input.name}, ${tx.now})`),
    addInboundAddress(tx, id),
    tx.run(sql`insert into ticket_counters (workspace_id, last_number) values (${id}, 0)`),
    tx.run(sql`
      insert into members (workspace_id, user_id, role, created_at)
      values (${id}, ${input.ownerId}, 'owner', ${tx.now})`),
  ]);
  return { id, name: input.name, role: 'owner' };
}
