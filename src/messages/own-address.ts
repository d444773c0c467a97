import { type Tx, together } from '../database/db.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { readNamedAddresses } from '../mailboxes/queries.ts';
import { getInboundAddress } from '../workspaces/inbound-address.ts';
import type { OwnAddress } from '../workspaces/own-address.ts';

/**
 * Reads the workspace's own addresses, which must never be recipients (the mail would loop back). One round trip.
 * @param mailFrom the address of `MAIL_FROM`
 */
export async function readOwnAddress(tx: Tx, workspaceId: WorkspaceId, mailFrom: string): Promise<OwnAddress> {
  const [{ localPart }, namedAddresses] = await together([
    getInboundAddress(tx, workspaceId),
    readNamedAddresses(tx, workspaceId),
  ]);
  return { localPart, mailFrom, namedAddresses };
}
