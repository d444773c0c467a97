import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { ContactId, WorkspaceId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import type { ListedContact } from './schema.ts';
import { contactSearchVector } from './search-words.ts';

/** Sets the name that an agent chose. Imports no longer change it. Null removes the name. */
export async function renameContact(
  tx: Tx,
  workspaceId: WorkspaceId,
  { id, email, name }: { id: ContactId; email: string; name: string | null },
): Promise<void> {
  await tx.run(sql`
    update contacts
    set name = ${name}, name_claim = null, search = ${contactSearchVector(workspaceId, { email, name })}::tsvector
    where workspace_id = ${workspaceId} and id = ${id}`);
}

/** Enqueues a job that makes a contact's tickets searchable by the new name. */
export async function askForRefresh(tx: Tx, workspaceId: WorkspaceId, contactId: ContactId): Promise<void> {
  await enqueue(
    tx,
    'contact.refresh',
    { workspaceId, contactId },
    { key: `contact.refresh:${workspaceId}:${contactId}` },
  );
}

/** Throws 409 for the stub of an erased person, which nobody may name again or merge. */
export function refuseErased({ erasedAt }: Pick<ListedContact, 'erasedAt'>): void {
  if (erasedAt !== null) throw new AppError('contact.erased');
}

/** Serialises manual changes of a workspace's contacts, so that nobody changes or merges an already merged contact. */
export async function awaitContactsTurn(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`contacts ${workspaceId}`}, 0))`);
}
