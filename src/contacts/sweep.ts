import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { Sweep } from '../database/sweep.ts';
import type { ContactId, WorkspaceId } from '../lib/ids.ts';
import { formerWord, mayHaveFormerWords } from './former-words.ts';
import { contactSearchVector } from './search-words.ts';

type Row = { workspaceId: WorkspaceId; id: ContactId };
type Named = { id: ContactId; email: string; name: string | null };

/** Adds search vectors to contacts that an earlier release wrote without vectors. */
export const indexContacts: Sweep = async (tx, rowsMax) => {
  const found = await tx.rows<Row>(sql`
    select workspace_id as "workspaceId", id
    from contacts
    where search is null
    limit ${rowsMax}`);
  return index(tx, found);
};

/** Rewrites vectors in the old format, from an earlier release that ran beside this release during the upgrade. */
export const rewordContacts: Sweep = async (tx, rowsMax) => {
  if (!(await mayHaveFormerWords(tx))) return 0;
  const found = await tx.rows<Row>(sql`
    select c.workspace_id as "workspaceId", c.id
    from workspaces w
    join contacts c on c.workspace_id = w.id and c.search @@ ${formerWord(sql`w.id`)}
    limit ${rowsMax}`);
  return index(tx, found);
};

/** Locks the rows of one workspace after another, because Citus locks rows of one node at a time. */
async function index(tx: Tx, found: readonly Row[]): Promise<number> {
  let indexed = 0;
  for (const [workspaceId, rows] of Map.groupBy(found, (row) => row.workspaceId)) {
    const contacts = await tx.rows<Named>(sql`
      select id, email, name
      from contacts
      where workspace_id = ${workspaceId} and id = any(${rows.map(({ id }) => id)}::uuid[])
      for no key update skip locked`);
    indexed += await tx.run(sql`
      update contacts c set search = g.search::tsvector
      from unnest(${contacts.map(({ id }) => id)}::uuid[],
        ${contacts.map((contact) => contactSearchVector(workspaceId, contact))}::text[]) g (id, search)
      where c.workspace_id = ${workspaceId} and c.id = g.id`);
  }
  return indexed;
}
