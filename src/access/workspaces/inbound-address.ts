import { randomBytes } from 'node:crypto';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/** The address at which a workspace receives mail. Its domain is that of `MAIL_FROM`. */
export type InboundAddress = {
  workspaceId: WorkspaceId;
  /** Lower case and at most 24 characters, which leaves room for a reply token. */
  localPart: string;
  /** Signs the plus tokens of the workspace's answers. */
  replyKey: Buffer;
};

/** Gives a new workspace its address. */
export async function addInboundAddress(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  const localPart = `inbox-${randomBytes(6).toString('hex')}`;
  await tx.run(sql`
    insert into inbound_addresses (local_part, workspace_id, reply_key)
    values (${localPart}, ${workspaceId}, ${randomBytes(32)})`);
}

/** Every workspace has an inbound address. */
export function getInboundAddress(db: Queryable, workspaceId: WorkspaceId): Promise<InboundAddress> {
  return db.one<InboundAddress>(sql`
    select workspace_id as "workspaceId", local_part as "localPart", reply_key as "replyKey"
    from inbound_addresses
    where workspace_id = ${workspaceId}`);
}

/** @param localPart of a recipient's address, without a plus tag; undefined when no workspace has it */
export function findInboundAddress(db: Queryable, localPart: string): Promise<InboundAddress | undefined> {
  return db.maybe<InboundAddress>(sql`
    select workspace_id as "workspaceId", local_part as "localPart", reply_key as "replyKey"
    from inbound_addresses
    where local_part = ${localPart.toLowerCase()}`);
}
