import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { ContactId, WorkspaceId } from '../lib/ids.ts';
import { enqueue } from '../queue/enqueue.ts';
import { contactSearchVector } from './search-words.ts';
import type { Contact } from './upsert.ts';

/** Gives a contact the name that an agent has for it; from then on no import changes it. Null takes it away. */
export async function renameContact(tx: Tx, workspaceId: WorkspaceId, { id, email, name }: Contact): Promise<void> {
  await tx.run(sql`
    update contacts
    set name = ${name}, name_claim = null, search = ${contactSearchVector(workspaceId, { email, name })}::tsvector
    where workspace_id = ${workspaceId} and id = ${id}`);
}

/** Has a contact's tickets found by its new name, soon. */
export async function askForRefresh(tx: Tx, workspaceId: WorkspaceId, contactId: ContactId): Promise<void> {
  await enqueue(
    tx,
    'contact.refresh',
    { workspaceId, contactId },
    { key: `contact.refresh:${workspaceId}:${contactId}` },
  );
}

/** Who changes the contacts of a workspace by hand takes turns: so a contact that was merged is never changed or merged again. */
export async function awaitContactsTurn(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`contacts ${workspaceId}`}, 0))`);
}
