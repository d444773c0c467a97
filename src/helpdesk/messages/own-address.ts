import type { OwnAddress } from '../../access/workspaces/own-address.ts';
import type { Db, Tx } from '../../ground/database/db.ts';
import { quick, sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/** Reads the workspace's own addresses, which must never be recipients (the mail would loop back). */
export async function readOwnAddress(db: Db | Tx, workspaceId: WorkspaceId): Promise<OwnAddress> {
  const found = await db.one<Omit<OwnAddress, 'mailFrom'>>(
    quick(sql`
    select i.local_part as "localPart", array(
        select unnest(array_prepend(b.address, b.aliases))
        from mailboxes b
        where b.workspace_id = ${workspaceId} and b.status <> 'disconnected'
        union all
        select unnest(w.own_addresses) from workspaces w where w.id = ${workspaceId}
      ) as "namedAddresses"
    from inbound_addresses i
    where i.workspace_id = ${workspaceId}`),
  );
  return { ...found, mailFrom: db.settings.mailFrom.email };
}
