import { everything, type Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { ContactId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { ContactSort, ContactsQuery, ListedContact } from './schema.ts';
import { contactSearchQuery } from './search-words.ts';

/** A contact's columns under their wire names. The statement must name `contacts` as `c`. */
function contactColumns(workspaceId: WorkspaceId): Sql {
  return sql`c.id, c.email, c.name, c.created_at as "createdAt", c.erased_at as "erasedAt",
    c.shows_remote_images as "showsRemoteImages", c.email || array(
      select m.email from contacts m where m.workspace_id = ${workspaceId} and m.merged_into_id = c.id order by m.id
    ) as emails`;
}

const limitDefault = 50;
/**
 * Bounds a search: of a million contacts half may match a common word, and sorting would read all of them. Beyond the
 * limit the search keeps the matches that the index finds first.
 */
const foundMax = 1_000;

/** The condition that some ticket of contact `c` is visible, or that it has none. */
export function isContactShown(scope: Scope): Sql {
  if (scope.sight === everything) return sql`true`;
  const { workspaceId } = scope;
  const rows = sql`p.workspace_id = ${workspaceId} and p.contact_id in (
    select c.id
    union all
    select k.id from contacts k where k.workspace_id = ${workspaceId} and k.merged_into_id = c.id
  )`;
  return sql`(not exists (select from ticket_participants p where ${rows}) or exists (
    select from ticket_participants p
    join tickets t on t.workspace_id = ${workspaceId} and t.id = p.ticket_id
    where ${rows} and ${visible(scope, 't')}
  ))`;
}

/** Contacts by address or name. A merged contact appears as its survivor. Throws 400 for an invalid cursor. */
export async function listContacts(
  db: Queryable,
  scope: Scope,
  { search, sort = 'email', limit = limitDefault, cursor }: ContactsQuery,
): Promise<Page<ListedContact>> {
  const { workspaceId } = scope;
  const wanted = search === undefined ? undefined : contactSearchQuery(workspaceId, search);
  if (search !== undefined && wanted === undefined) return { items: [] };
  const found = wanted === undefined ? emptySql : sql`and c.id in (select id from found)`;
  const rows = await db.rows<ListedContact>(sql`
    ${wanted === undefined ? emptySql : matching(workspaceId, wanted)}
    select ${contactColumns(workspaceId)}
    from contacts c
    where c.workspace_id = ${workspaceId} and c.merged_into_id is null and ${isContactShown(scope)} ${found}
      ${cursor === undefined ? emptySql : behind(workspaceId, sort, readIdCursor(cursor))}
    order by ${sort === 'name' ? sql`${nameOrder}, c.id` : sql`c.email_key`}
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}

/** Name or address without accents, as in the index `contacts_by_name`. The statement must name `contacts` as `c`. */
const nameOrder = sql`
  lower(regexp_replace(normalize(coalesce(c.name, c.email_key), nfd), '[\\u0300-\\u036f]+', '', 'g')) collate "C"`;

/** The contacts that follow this one. */
function behind(workspaceId: WorkspaceId, sort: ContactSort, id: string): Sql {
  if (sort === 'email')
    return sql`and c.email_key > (
      select k.email_key from contacts k where k.workspace_id = ${workspaceId} and k.id = ${id}
    )`;
  return sql`and (${nameOrder}, c.id) > (
    select ${nameOrder}, c.id from contacts c where c.workspace_id = ${workspaceId} and c.id = ${id}
  )`;
}

/** Materialized: otherwise the planner may walk all contacts in order until enough match. */
function matching(workspaceId: WorkspaceId, wanted: string): Sql {
  return sql`
    with found as materialized (
      select coalesce(s.merged_into_id, s.id) as id
      from contacts s
      where s.workspace_id = ${workspaceId} and s.search @@ ${wanted}::tsquery
      limit ${foundMax}
    )`;
}

/** The contact, or the survivor if it was merged. Throws 404, also if all its tickets are hidden. */
export async function getContact(db: Queryable, scope: Scope, contactId: ContactId): Promise<ListedContact> {
  const { workspaceId } = scope;
  const contact = await db.maybe<ListedContact>(sql`
    select ${contactColumns(workspaceId)}
    from contacts c
    where c.workspace_id = ${workspaceId} and c.id = (
      select coalesce(k.merged_into_id, k.id)
      from contacts k
      where k.workspace_id = ${workspaceId} and k.id = ${contactId}
    ) and ${isContactShown(scope)}`);
  if (contact === undefined) throw new AppError('contact.not_found');
  return contact;
}

/** All ids that rows may have for a contact: its own id and those of contacts merged into it. */
export async function findContactIds(
  db: Queryable,
  workspaceId: WorkspaceId,
  contactId: ContactId,
): Promise<ContactId[]> {
  const rows = await db.rows<{ id: ContactId }>(sql`
    with one as materialized (
      select coalesce(k.merged_into_id, k.id) as id
      from contacts k
      where k.workspace_id = ${workspaceId} and k.id = ${contactId}
    )
    select id from one
    union all
    select m.id from contacts m where m.workspace_id = ${workspaceId} and m.merged_into_id = (select id from one)`);
  return rows.map(({ id }) => id);
}
