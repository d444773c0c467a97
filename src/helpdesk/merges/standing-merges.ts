import type { Status } from '../../ground/catalog/ticket-status.ts';
import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { ContactId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { Ticket } from '../tickets/schema.ts';
import type { StandingMerge } from './take-back.ts';

/** A merge that is in force: the former state of the source, and the tags and people that the source brought. */
export type MergeRow = {
  id: string;
  sourceId: TicketId;
  targetId: TicketId;
  status: Status;
  archivedAt: string | null;
  snoozedUntil: string | null;
  tags: StandingMerge;
  people: StandingMerge;
};

type Columns = Omit<MergeRow, 'tags' | 'people'> & {
  broughtTagKeys: string[];
  broughtContactIds: ContactId[];
  sourceTagKeys: string[];
  sourceContactIds: ContactId[];
};

/** Lists the merges into any of these tickets, oldest first. To change merges, lock their targets first. */
export async function findMergesInto(
  db: Queryable,
  workspaceId: WorkspaceId,
  targetIds: readonly TicketId[],
): Promise<MergeRow[]> {
  const rows = await db.rows<Columns>(sql`
    select g.id, g.source_id as "sourceId", g.target_id as "targetId", g.source_status as status,
      g.source_archived_at as "archivedAt", g.source_snoozed_until as "snoozedUntil",
      g.brought_tag_keys as "broughtTagKeys", g.brought_contact_ids as "broughtContactIds",
      s.tag_keys as "sourceTagKeys",
      array(
        select p.contact_id from ticket_participants p
        where p.workspace_id = ${workspaceId} and p.ticket_id = g.source_id
      ) as "sourceContactIds"
    from ticket_merges g
    join tickets s on s.workspace_id = ${workspaceId} and s.id = g.source_id
    where g.workspace_id = ${workspaceId} and g.target_id = any(${targetIds}::uuid[])
    order by g.merged_at, g.id`);
  return rows.map(({ broughtTagKeys, broughtContactIds, sourceTagKeys, sourceContactIds, ...merge }) => ({
    ...merge,
    tags: { id: merge.id, brought: broughtTagKeys, sourceHas: new Set(sourceTagKeys) },
    people: { id: merge.id, brought: broughtContactIds, sourceHas: new Set(sourceContactIds) },
  }));
}

/**
 * Of the people whom the first merge brought, finds those whom each later ticket keeps.
 * A ticket keeps its requester, and the people of messages of its own.
 * Call it after the messages of the undone merge have gone back.
 * @param path the merges from the undone one on; `heirs` are their targets
 */
export async function ownPeople(
  tx: Tx,
  workspaceId: WorkspaceId,
  { path, heirs }: { path: readonly MergeRow[]; heirs: readonly Ticket[] },
): Promise<Set<ContactId>[]> {
  const brought = path[0]?.people.brought ?? [];
  if (brought.length === 0) return heirs.map(() => new Set());
  const [contacts, ...named] = await together([
    // Compares by all addresses of a contact, including those of contacts that were merged into it.
    tx.rows<{ id: ContactId; key: string }>(sql`
      select coalesce(merged_into_id, id) as id, email_key as key from contacts
      where workspace_id = ${workspaceId}
        and (id = any(${brought}::uuid[]) or merged_into_id = any(${brought}::uuid[]))`),
    ...heirs.map((heir, level) => namedOn(tx, workspaceId, messagesOf(workspaceId, heir, path[level + 1]))),
  ]);
  return heirs.map(({ requester }, level) => {
    const { authorIds = [], addresses = [] } = named[level] ?? {};
    const keys = new Set([...addresses, ...(requester === null ? [] : [requester.email])].map(caseKey));
    const authors = new Set(authorIds);
    return new Set(contacts.filter(({ id, key }) => authors.has(id) || keys.has(key)).map(({ id }) => id));
  });
}

/** The condition that message `m` belongs to the ticket. The messages of a merged ticket lie with the survivor. */
function messagesOf(workspaceId: WorkspaceId, { id }: Ticket, next: MergeRow | undefined): Sql {
  if (next === undefined) return sql`m.ticket_id = ${id}`;
  return sql`m.id in (
    select message_id from merged_messages where workspace_id = ${workspaceId} and merge_id = ${next.id}
  )`;
}

async function namedOn(
  db: Queryable,
  workspaceId: WorkspaceId,
  areTheirs: Sql,
): Promise<{ authorIds: ContactId[]; addresses: string[] }> {
  return db.one(sql`
    with theirs as materialized (
      select m.author_contact_id, m.to_addresses || m.cc_addresses || m.bcc_addresses as addresses
      from messages m
      where m.workspace_id = ${workspaceId} and ${areTheirs}
    )
    select
      array(select distinct author_contact_id from theirs where author_contact_id is not null) as "authorIds",
      array(select distinct address from theirs, unnest(addresses) address) as addresses`);
}
