import type { Scope } from '../../ground/catalog/scope.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { ContactId } from '../../ground/lib/ids.ts';
import { getContact } from './queries.ts';
import { awaitContactsTurn } from './rename.ts';
import type { ListedContact } from './schema.ts';

/** Stores the choice for a contact and for contacts merged into it, which older mails refer to. Throws 404. */
export async function rememberRemoteImages(
  tx: Tx,
  scope: Scope,
  { contactId, isAlways }: { contactId: ContactId; isAlways: boolean },
): Promise<ListedContact> {
  const { workspaceId } = scope;
  await awaitContactsTurn(tx, workspaceId);
  const { id } = await getContact(tx, scope, contactId);
  await tx.run(sql`
    update contacts set shows_remote_images = ${isAlways}
    where workspace_id = ${workspaceId} and (id = ${id} or merged_into_id = ${id})`);
  return getContact(tx, scope, id);
}
