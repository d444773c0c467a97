import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { ContactId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { askForRefresh, renameContact } from './rename.ts';
import { contactSearchVector } from './search-words.ts';

export type Person = { email: string; name: string | null };
export type Contact = Person & { id: ContactId };

/**
 * Finds or creates the contact of an address. A given name, which comes from an agent, replaces the contact's name. The
 * address of a merged contact still leads to the survivor.
 */
export async function upsertContact(tx: Tx, workspaceId: WorkspaceId, person: Person): Promise<Contact> {
  const emailKey = caseKey(person.email);
  const known = await findByKey(tx, workspaceId, emailKey);
  if (known !== undefined && (person.name === null || person.name === known.contact.name)) return known.contact;
  if (known !== undefined) await askForRefresh(tx, workspaceId, known.contact.id);
  if (known?.isMerged) {
    const renamed = { ...known.contact, name: person.name };
    await renameContact(tx, workspaceId, renamed);
    return renamed;
  }
  // Of two concurrent inserts of one new address the second waits, and then uses the row of the first.
  const written = await tx.maybe<Contact>(sql`
    insert into contacts (workspace_id, id, email, email_key, name, created_at, search)
    values (${workspaceId}, ${tx.newId()}, ${person.email}, ${emailKey}, ${person.name}, ${tx.now},
      ${contactSearchVector(workspaceId, person)}::tsvector)
    on conflict (workspace_id, email_key) do update
    set name = coalesce(excluded.name, contacts.name),
      name_claim = case when excluded.name is null then contacts.name_claim end,
      search = case when excluded.name is null then contacts.search else excluded.search end
    where contacts.merged_into_id is null
    returning id, email, name`);
  // No row means that the contact was merged since the lookup: the next try finds the survivor.
  return written ?? upsertContact(tx, workspaceId, person);
}

/** An erasure waits until the rows for a person who was found here are committed, and erases them too. */
async function findByKey(
  tx: Tx,
  workspaceId: WorkspaceId,
  emailKey: string,
): Promise<{ contact: Contact; isMerged: boolean } | undefined> {
  const row = await tx.maybe<Contact & { isMerged: boolean }>(sql`
    select coalesce(s.id, c.id) as id, coalesce(s.email, c.email) as email,
      case when s.id is null then c.name else s.name end as name, s.id is not null as "isMerged"
    from contacts c
    left join contacts s on s.workspace_id = ${workspaceId} and s.id = c.merged_into_id
    where c.workspace_id = ${workspaceId} and c.email_key = ${emailKey}
    for key share of c`);
  if (row === undefined) return undefined;
  const { isMerged, ...contact } = row;
  return { contact, isMerged };
}
