import { type Tx, together } from '../database/db.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { readNamedAddresses } from '../mailboxes/queries.ts';
import { getInboundAddress } from '../workspaces/inbound-address.ts';
import type { OwnAddress } from '../workspaces/own-address.ts';

/** Reads the workspace's own addresses, which must never be recipients (the mail would loop back). One round trip. */
export async function readOwnAddress(tx: Tx, workspaceId: WorkspaceId): Promise<OwnAddress> {
  const [{ localPart }, namedAddresses] = await together([
    getInboundAddress(tx, workspaceId),
    readNamedAddresses(tx, workspaceId),
  ]);
  return { localPart, mailFrom: tx.settings.mailFrom.email, namedAddresses };
}
