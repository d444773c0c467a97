import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { MailPerson } from './name-claim.ts';
import { contactSearchVector } from './search-words.ts';
import type { Contact } from './upsert.ts';

/**
 * Finds or creates the contacts of all these people, by `caseKey` of their addresses. An address of a merged contact
 * leads to the survivor, whose name only agents change.
 */
export async function gatherContacts(
  tx: Tx,
  workspaceId: WorkspaceId,
  people: readonly MailPerson[],
): Promise<Map<string, Contact>> {
  const given = new Map<string, MailPerson>();
  for (const person of people) {
    const key = caseKey(person.email);
    const other = given.get(key);
    if (other === undefined || isBetter(person, other)) given.set(key, person);
  }
  const known = await findContacts(tx, workspaceId, [...given.keys()]);
  const isWanting = ([key, person]: [string, MailPerson]) => {
    const contact = known.get(key);
    return contact === undefined || (!contact.isMerged && isBetter(person, { ...contact, claim: contact.nameClaim }));
  };
  // Sorts by key, so that two transactions that write the same contacts never deadlock.
  const wanting = [...given].filter(isWanting).sort(([a], [b]) => (a < b ? -1 : 1));
  if (wanting.length === 0) return known;
  const [, found] = await together([
    writeContacts(tx, workspaceId, wanting),
    findContacts(tx, workspaceId, [...given.keys()]),
  ]);
  return found;
}

/** Any name beats no name. Between two imports the lower claim wins. */
function isBetter(person: MailPerson, other: MailPerson): boolean {
  if (person.claim !== null && other.claim !== null) return person.claim < other.claim;
  return person.name !== null && other.name === null;
}

type KnownContact = Contact & { key: string; nameClaim: string | null; isMerged: boolean };

/** An erasure waits until the rows for a person who was found here are committed, and erases them too. */
async function findContacts(tx: Tx, workspaceId: WorkspaceId, keys: string[]): Promise<Map<string, KnownContact>> {
  const rows = await tx.rows<KnownContact>(sql`
    select coalesce(s.id, c.id) as id, coalesce(s.email, c.email) as email,
      case when s.id is null then c.name else s.name end as name, c.email_key as key, c.name_claim as "nameClaim",
      s.id is not null as "isMerged"
    from contacts c
    left join contacts s on s.workspace_id = ${workspaceId} and s.id = c.merged_into_id
    where c.workspace_id = ${workspaceId} and c.email_key = any(${keys}::text[])
    for key share of c`);
  return new Map(rows.map((row) => [row.key, row]));
}

/** Of two concurrent inserts of one address the second waits, and then follows the same rule. */
async function writeContacts(tx: Tx, workspaceId: WorkspaceId, people: [string, MailPerson][]): Promise<void> {
  await tx.run(sql`
    insert into contacts (workspace_id, id, email, email_key, name, name_claim, created_at, search)
    select w.workspace_id, g.id, g.email, g.email_key, g.name, g.name_claim, ${tx.now}::timestamptz, g.search::tsvector
    from ${workspaceRow}
    cross join unnest(${people.map(() => tx.newId())}::uuid[], ${people.map(([, { email }]) => email)}::text[],
      ${people.map(([key]) => key)}::text[], ${people.map(([, { name }]) => name)}::text[],
      ${people.map(([, { claim }]) => claim)}::text[],
      ${people.map(([, person]) => contactSearchVector(workspaceId, person))}::text[])
      g (id, email, email_key, name, name_claim, search)
    where w.workspace_id = ${workspaceId}
    on conflict (workspace_id, email_key) do update
    set name = excluded.name,
      name_claim = excluded.name_claim,
      email = case when contacts.name_claim is null then contacts.email else excluded.email end,
      search = excluded.search
    where contacts.merged_into_id is null
      and case when contacts.name_claim is not null and excluded.name_claim is not null
        then excluded.name_claim < contacts.name_claim
        else excluded.name is not null and contacts.name is null end`);
}
