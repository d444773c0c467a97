import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import { listSamples, sampleDomain, unmarkSamples } from '../../events/samples/marks.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { ContactId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { deleteContacts } from '../../helpdesk/contacts/delete-contacts.ts';
import { recountStorage } from '../../helpdesk/files/storage-quota.ts';
import { deleteTickets } from '../../helpdesk/tickets/delete-tickets.ts';

/**
 * Deletes all sample tickets, and their customers unless other records refer to them. A sample ticket with real mail
 * stays as an ordinary ticket.
 * @returns whether there were any
 */
export async function removeSamples(tx: Tx, workspaceId: WorkspaceId): Promise<boolean> {
  await lockWorkspace(tx, workspaceId);
  const samples = await listSamples(tx, workspaceId);
  if (samples.length === 0) return false;
  const withMail = await findWithMail(tx, workspaceId, samples);
  const customers = await findCustomers(tx, workspaceId, samples);
  await unmarkSamples(tx, workspaceId);
  await deleteTickets(
    tx,
    workspaceId,
    samples.filter((id) => !withMail.includes(id)),
  );
  await deleteContacts(tx, workspaceId, await findUnused(tx, workspaceId, customers));
  await recountStorage(tx, workspaceId);
  return true;
}

async function findWithMail(tx: Tx, workspaceId: WorkspaceId, ticketIds: readonly TicketId[]): Promise<TicketId[]> {
  const rows = await tx.rows<{ ticketId: TicketId }>(sql`
    select distinct m.ticket_id as "ticketId"
    from messages m
    join raw_mails r on r.workspace_id = ${workspaceId} and r.message_id = m.id
    where m.workspace_id = ${workspaceId} and m.ticket_id = any(${ticketIds}::uuid[])`);
  return rows.map(({ ticketId }) => ticketId);
}

/** The sample customers who take part, and contacts merged into them. */
async function findCustomers(tx: Tx, workspaceId: WorkspaceId, ticketIds: readonly TicketId[]): Promise<ContactId[]> {
  const rows = await tx.rows<{ id: ContactId }>(sql`
    select c.id
    from contacts c
    where c.workspace_id = ${workspaceId} and c.email_key like ${`%@${sampleDomain}`}
      and coalesce(c.merged_into_id, c.id) in (
        select p.contact_id from ticket_participants p
        where p.workspace_id = ${workspaceId} and p.ticket_id = any(${ticketIds}::uuid[])
      )`);
  return rows.map(({ id }) => id);
}

/** Leaves out customers whom an agent added to a real ticket, or merged with a real person. */
async function findUnused(tx: Tx, workspaceId: WorkspaceId, customers: readonly ContactId[]): Promise<ContactId[]> {
  const rows = await tx.rows<{ id: ContactId }>(sql`
    select c.id
    from contacts c
    where c.workspace_id = ${workspaceId} and c.id = any(${customers}::uuid[]) and not exists (
        select from tickets t
        where t.workspace_id = ${workspaceId} and t.requester_id = coalesce(c.merged_into_id, c.id)
      ) and not exists (
        select from ticket_participants p
        where p.workspace_id = ${workspaceId} and p.contact_id = coalesce(c.merged_into_id, c.id)
      ) and not exists (
        select from contacts o
        where o.workspace_id = ${workspaceId} and o.merged_into_id = coalesce(c.merged_into_id, c.id)
          and o.id <> all(${customers}::uuid[])
      )`);
  return rows.map(({ id }) => id);
}
