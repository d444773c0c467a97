import type { Actor } from '../catalog/actor.ts';
import { mergeContactRows } from '../contacts/merge.ts';
import type { ListedContact } from '../contacts/schema.ts';
import { type Db, type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { ContactId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { enqueue } from '../queue/enqueue.ts';
import { refreshTicketSearch } from '../tickets/rows.ts';
import { lockedAtOnceMax, lockTicketsOf } from './contact-tickets.ts';
import { refreshSearchOfContact } from './rename-contact.ts';

type OfContact = { workspaceId: WorkspaceId; contactId: ContactId };

/** Longer than any transaction of ours lasts. */
const lateSeconds = 60;

/**
 * Merges one contact into another: its addresses lead there from now on, and its tickets and messages are the other's. Of
 * very many tickets the first are moved at once and the rest by a job. Another job comes late, for what a transaction that
 * knew the contact from before has written since.
 */
export async function mergeContact(
  tx: Tx,
  { workspaceId }: Actor,
  ids: { sourceId: ContactId; targetId: ContactId },
): Promise<ListedContact> {
  const { target, isRenamed } = await mergeContactRows(tx, workspaceId, ids);
  const ofTarget = { workspaceId, contactId: target.id };
  const moved = await moveContactTickets(tx, ofTarget);
  const key = `contact.move:${workspaceId}:${target.id}`;
  const runAt = new Date(tx.now.getTime() + lateSeconds * 1_000);
  await together([
    moved === lockedAtOnceMax ? enqueue(tx, 'contact.move', ofTarget, { key }) : undefined,
    enqueue(tx, 'contact.move', ofTarget, { key: `${key}:late`, runAt }),
    isRenamed ? refreshSearchOfContact(tx, ofTarget) : undefined,
  ]);
  return target;
}

/** The rest of a merge; what is moved already is not found again, so it may be killed and run twice. */
export async function moveRestOfContact(db: Db, ofContact: OfContact): Promise<void> {
  while ((await db.tx((tx) => moveContactTickets(tx, ofContact))) > 0);
}

/**
 * Moves some tickets of whoever was merged into the contact. No version changes, and no fact is told: the person is the same.
 * @returns how many
 */
async function moveContactTickets(tx: Tx, { workspaceId, contactId: to }: OfContact): Promise<number> {
  const merged = await tx.rows<{ id: ContactId }>(sql`
    select id from contacts where workspace_id = ${workspaceId} and merged_into_id = ${to}`);
  const from = merged.map(({ id }) => id);
  const ticketIds = await lockTicketsOf(tx, workspaceId, { contactIds: from, after: null });
  if (ticketIds.length === 0) return 0;
  await moveRows(tx, workspaceId, { ticketIds, from, to });
  await together(ticketIds.map((id) => refreshTicketSearch(tx, workspaceId, id)));
  return ticketIds.length;
}

async function moveRows(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticketIds, from, to }: { ticketIds: TicketId[]; from: ContactId[]; to: ContactId },
): Promise<void> {
  await together([
    // Whoever takes part in a ticket by themselves was not brought by a merge. So this is asked before they are made one.
    tx.run(sql`
      update ticket_merges g
      set brought_contact_ids = array(
        select b from unnest(g.brought_contact_ids) b where b <> all(${from}::uuid[])
        union
        select ${to}::uuid
        where not exists (
          select from ticket_participants p
          where p.workspace_id = ${workspaceId} and p.ticket_id = g.target_id and p.contact_id = ${to}
        )
      )
      where g.workspace_id = ${workspaceId} and g.target_id = any(${ticketIds}::uuid[])
        and g.brought_contact_ids && ${from}::uuid[]`),
    tx.run(sql`
      insert into ticket_participants (workspace_id, ticket_id, contact_id, is_known)
      select ${workspaceId}::uuid, ticket_id, ${to}::uuid, bool_or(is_known)
      from ticket_participants
      where workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[]) and contact_id = any(${from}::uuid[])
      group by ticket_id
      on conflict (workspace_id, ticket_id, contact_id) do update set is_known = true
      where excluded.is_known and not ticket_participants.is_known`),
    tx.run(sql`
      delete from ticket_participants
      where workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[]) and contact_id = any(${from}::uuid[])`),
    tx.run(sql`
      update tickets set requester_id = ${to}
      where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[]) and requester_id = any(${from}::uuid[])`),
    tx.run(sql`
      update messages set author_contact_id = ${to}
      where workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[])
        and author_contact_id = any(${from}::uuid[])`),
  ]);
}
