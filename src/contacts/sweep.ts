import type { ContactId, WorkspaceId } from '../lib/ids.ts';
import { sql } from '../platform/sql.ts';
import type { Sweep } from '../platform/sweep.ts';
import { contactSearchVector } from './search-words.ts';

type Unindexed = { workspaceId: WorkspaceId; id: ContactId; email: string; name: string | null };

/** Makes the search vectors of contacts that a release without them has written. */
export const indexContacts: Sweep = async (tx, rowsMax) => {
  const contacts = await tx.rows<Unindexed>(sql`
    select workspace_id as "workspaceId", id, email, name
    from contacts
    where search is null
    limit ${rowsMax}
    for no key update skip locked`);
  if (contacts.length === 0) return 0;
  return tx.run(sql`
    update contacts c set search = g.search::tsvector
    from unnest(${contacts.map(({ workspaceId }) => workspaceId)}::uuid[], ${contacts.map(({ id }) => id)}::uuid[],
      ${contacts.map((contact) => contactSearchVector(contact.workspaceId, contact))}::text[]) g (workspace_id, id, search)
    where c.workspace_id = g.workspace_id and c.id = g.id`);
};
