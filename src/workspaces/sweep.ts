import { together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { Sweep } from '../database/sweep.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { addInboundAddress } from './inbound-address.ts';

/** A process of the first release makes workspaces without inbound addresses during the upgrade. This adds them. */
export const addMissingInboundAddresses: Sweep = async (tx, rowsMax) => {
  const without = await tx.rows<{ id: WorkspaceId }>(sql`
    select w.id
    from workspaces w
    where not exists (select from inbound_addresses i where i.workspace_id = w.id)
    limit ${rowsMax}
    for no key update of w skip locked`);
  await together(without.map(({ id }) => addInboundAddress(tx, id)));
  return without.length;
};
