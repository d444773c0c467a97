import type { ContactId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

export type Person = { email: string; name: string | null };
export type Contact = Person & { id: ContactId };

/** The contact with this address, made if there is none. The name that an agent gives replaces the one it had. */
export async function upsertContact(tx: Tx, workspaceId: WorkspaceId, person: Person): Promise<Contact> {
  const emailKey = caseKey(person.email);
  const known = await tx.maybe<Contact>(sql`
    select id, email, name from contacts where workspace_id = ${workspaceId} and email_key = ${emailKey}`);
  if (known !== undefined && (person.name === null || person.name === known.name)) return known;
  // Two that bring the same new address at once: the second waits and takes the first one's row.
  return tx.one<Contact>(sql`
    insert into contacts (workspace_id, id, email, email_key, name, created_at)
    values (${workspaceId}, ${tx.newId()}, ${person.email}, ${emailKey}, ${person.name}, ${tx.now})
    on conflict (workspace_id, email_key) do update
    set name = coalesce(excluded.name, contacts.name),
      name_claim = case when excluded.name is null then contacts.name_claim end
    returning id, email, name`);
}
