import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { ContactId, WorkspaceId } from '../lib/ids.ts';
import { getContact } from './queries.ts';
import { awaitContactsTurn } from './rename.ts';
import type { ListedContact } from './schema.ts';

/** Remembers it for the contact and those that were merged into it, under which older mails stand. Throws 404. */
export async function rememberRemoteImages(
  tx: Tx,
  workspaceId: WorkspaceId,
  { contactId, isAlways }: { contactId: ContactId; isAlways: boolean },
): Promise<ListedContact> {
  await awaitContactsTurn(tx, workspaceId);
  const { id } = await getContact(tx, workspaceId, contactId);
  await tx.run(sql`
    update contacts set shows_remote_images = ${isAlways}
    where workspace_id = ${workspaceId} and (id = ${id} or merged_into_id = ${id})`);
  return getContact(tx, workspaceId, id);
}
