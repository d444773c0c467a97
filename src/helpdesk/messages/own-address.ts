import { getInboundAddress } from '../../access/workspaces/inbound-address.ts';
import type { OwnAddress } from '../../access/workspaces/own-address.ts';
import { type Db, type Tx, together } from '../../ground/database/db.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { readNamedAddresses } from '../../mail/mailboxes/queries.ts';

/** Reads the workspace's own addresses, which must never be recipients (the mail would loop back). */
export async function readOwnAddress(db: Db | Tx, workspaceId: WorkspaceId): Promise<OwnAddress> {
  const [{ localPart }, namedAddresses] = await together([
    getInboundAddress(db, workspaceId),
    readNamedAddresses(db, workspaceId),
  ]);
  return { localPart, mailFrom: db.settings.mailFrom.email, namedAddresses };
}
