import { machineScope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { ContactId, WorkspaceId } from '../../ground/lib/ids.ts';
import { findContactIds, getContact } from '../contacts/queries.ts';
import { ticketIdsOf } from '../people/contact-tickets.ts';
import type { Erasure, ErasurePreview } from './schema.ts';

const erasureColumns: Sql = sql`e.id, e.contact_id as "contactId", e.requested_by as "requestedBy",
  e.requested_at as "requestedAt", e.finished_at as "finishedAt", e.tickets_deleted as "ticketsDeleted",
  e.tickets_kept as "ticketsKept", e.messages_erased as "messagesErased"`;

function findErasure(db: Queryable, workspaceId: WorkspaceId, contactId: ContactId): Promise<Erasure | undefined> {
  return db.maybe<Erasure>(sql`
    select ${erasureColumns}
    from erasures e
    where e.workspace_id = ${workspaceId} and e.contact_id = ${contactId}
    order by e.requested_at desc
    limit 1`);
}

export function getErasure(db: Queryable, workspaceId: WorkspaceId, contactId: ContactId): Promise<Erasure> {
  return db.one<Erasure>(sql`
    select ${erasureColumns}
    from erasures e
    where e.workspace_id = ${workspaceId} and e.contact_id = ${contactId}
    order by e.requested_at desc
    limit 1`);
}

type Counts = Omit<ErasurePreview, 'emails' | 'erasure'>;

/** Counts what erasing a contact deletes and leaves as stubs, and tells how far an erasure has come. Throws 404. */
export async function previewErasure(
  db: Queryable,
  workspaceId: WorkspaceId,
  contactId: ContactId,
): Promise<ErasurePreview> {
  const contact = await getContact(db, machineScope(workspaceId), contactId);
  const ids = await findContactIds(db, workspaceId, contact.id);
  const counts = await db.one<Counts>(sql`
    with theirs as materialized (
      select t.id, t.merged_into_id, ${hasOthers(workspaceId, ids, sql`= t.id`)} as shared
      from (${ticketIdsOf(workspaceId, ids)}) x
      join tickets t on t.workspace_id = ${workspaceId} and t.id = x.id
    ), gone as materialized (
      select m.id
      from theirs
      join messages m on m.workspace_id = ${workspaceId} and m.ticket_id = theirs.id
      where not theirs.shared or m.author_contact_id = any(${ids}::uuid[])
    )
    select
      (select count(*)::integer from theirs where not shared and merged_into_id is null) as "ticketsDeleted",
      (select count(*)::integer from theirs where shared and merged_into_id is null) as "ticketsKept",
      (select count(*)::integer from gone) as messages,
      (
        select count(*)::integer from attachments a
        where a.workspace_id = ${workspaceId} and a.message_id in (select id from gone)
      ) as files`);
  return { ...counts, emails: contact.emails, erasure: (await findErasure(db, workspaceId, contact.id)) ?? null };
}

/**
 * Whether anybody else takes part in tickets, asked or wrote. Erased persons do not count.
 * @param tickets what their ids must be, as the right side of a comparison
 */
export function hasOthers(workspaceId: WorkspaceId, contactIds: readonly ContactId[], tickets: Sql): Sql {
  return sql`exists (
    select
    from (
      select p.contact_id as id from ticket_participants p
      where p.workspace_id = ${workspaceId} and p.ticket_id ${tickets}
      union all
      select r.requester_id from tickets r where r.workspace_id = ${workspaceId} and r.id ${tickets}
      union all
      select m.author_contact_id from messages m where m.workspace_id = ${workspaceId} and m.ticket_id ${tickets}
    ) people
    join contacts c on c.workspace_id = ${workspaceId} and c.id = people.id
    where c.erased_at is null and c.id <> all(${contactIds}::uuid[])
  )`;
}
