import type { Actor } from '../../ground/catalog/actor.ts';
import { type Db, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { ContactId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { mergeContactRows } from '../contacts/merge.ts';
import type { ListedContact } from '../contacts/schema.ts';
import { refreshTicketSearch } from '../tickets/rows.ts';
import { lockedAtOnceMax, lockTicketsOf } from './contact-tickets.ts';
import { refreshSearchOfContact } from './rename-contact.ts';

type OfContact = { workspaceId: WorkspaceId; contactId: ContactId };

/** Longer than any transaction of ours lasts. */
const lateSeconds = 60;

/**
 * Merges one contact into another. Its addresses then lead to the target, which gets its tickets and messages.
 * Moves a first batch of tickets at once and leaves the rest of very many to a job.
 * A second job runs late, for rows of a transaction that still knew the source while the merge committed.
 */
export async function mergeContact(
  tx: Tx,
  actor: Actor,
  ids: { sourceId: ContactId; targetId: ContactId },
): Promise<ListedContact> {
  const { workspaceId } = actor;
  const { target, isRenamed } = await mergeContactRows(tx, actor, ids);
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

/** Moves the remaining tickets of a merge. Finds only unmoved rows, so the job may be killed and run twice. */
export async function moveRestOfContact(db: Db, ofContact: OfContact): Promise<void> {
  while ((await db.tx((tx) => moveContactTickets(tx, ofContact))) > 0);
}

/**
 * Moves some tickets of the merged contacts. Raises no version and records no fact, because the person is the same.
 * @returns the number of moved tickets
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
    // Runs before the target joins: a merge of tickets did not bring a target that took part by itself.
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
      where workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[])
        and contact_id = any(${from}::uuid[])
      group by ticket_id
      on conflict (workspace_id, ticket_id, contact_id) do update set is_known = true
      where excluded.is_known and not ticket_participants.is_known`),
    tx.run(sql`
      delete from ticket_participants
      where workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[])
        and contact_id = any(${from}::uuid[])`),
    tx.run(sql`
      update tickets set requester_id = ${to}
      where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[]) and requester_id = any(${from}::uuid[])`),
    tx.run(sql`
      update messages set author_contact_id = ${to}
      where workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[])
        and author_contact_id = any(${from}::uuid[])`),
  ]);
}
