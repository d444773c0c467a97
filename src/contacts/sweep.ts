import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { Sweep } from '../database/sweep.ts';
import type { ContactId, WorkspaceId } from '../lib/ids.ts';
import { formerWord, mayHaveFormerWords } from './former-words.ts';
import { contactSearchVector } from './search-words.ts';

type Unindexed = { workspaceId: WorkspaceId; id: ContactId; email: string; name: string | null };

/** Adds search vectors to contacts that an earlier release wrote without vectors. */
export const indexContacts: Sweep = async (tx, rowsMax) => {
  const contacts = await tx.rows<Unindexed>(sql`
    select workspace_id as "workspaceId", id, email, name
    from contacts
    where search is null
    limit ${rowsMax}
    for no key update skip locked`);
  return index(tx, contacts);
};

/** Rewrites vectors in the old format, from an earlier release that ran beside this one during the upgrade. */
export const rewordContacts: Sweep = async (tx, rowsMax) => {
  if (!(await mayHaveFormerWords(tx))) return 0;
  const contacts = await tx.rows<Unindexed>(sql`
    select c.workspace_id as "workspaceId", c.id, c.email, c.name
    from workspaces w
    join contacts c on c.workspace_id = w.id and c.search @@ ${formerWord(sql`w.id`)}
    limit ${rowsMax}
    for no key update of c skip locked`);
  return index(tx, contacts);
};

async function index(tx: Tx, contacts: readonly Unindexed[]): Promise<number> {
  if (contacts.length === 0) return 0;
  return tx.run(sql`
    update contacts c set search = g.search::tsvector
    from unnest(${contacts.map(({ workspaceId }) => workspaceId)}::uuid[], ${contacts.map(({ id }) => id)}::uuid[],
      ${contacts.map((contact) => contactSearchVector(contact.workspaceId, contact))}::text[])
      g (workspace_id, id, search)
    where c.workspace_id = g.workspace_id and c.id = g.id`);
}
