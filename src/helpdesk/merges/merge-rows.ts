import { machineScope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { brokenConstraint } from '../../ground/database/faults.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { moveFiles } from '../files/attach.ts';
import { carryFollowers } from '../tickets/follow.ts';
import { carryUnread } from '../tickets/unread.ts';

/** One merge. Several merges into one ticket are written at once. */
export type Merge = { id: string; sourceId: TicketId; broughtTagKeys: readonly string[] };

/**
 * Records merges with everything that unmerging needs, and moves the sources' messages, files and people.
 * Message-IDs stay, because they lead to their message, or along the merges.
 * The caller writes the tickets' own rows, which it has locked.
 */
export async function mergeRows(
  tx: Tx,
  workspaceId: WorkspaceId,
  { merges, targetId }: { merges: readonly Merge[]; targetId: TicketId },
): Promise<void> {
  const mergeIds = merges.map(({ id }) => id);
  const from = merges.map(({ sourceId }) => sourceId);
  await together([
    noteMerges(tx, workspaceId, { merges, targetId }),
    tx.run(sql`
      insert into merged_messages (workspace_id, merge_id, message_id)
      select ${workspaceId}, g.id, m.id
      from unnest(${mergeIds}::uuid[], ${from}::uuid[]) g (id, source_id)
      join messages m on m.workspace_id = ${workspaceId} and m.ticket_id = g.source_id`),
    tx.run(sql`
      update messages set ticket_id = ${targetId}
      where workspace_id = ${workspaceId} and ticket_id = any(${from}::uuid[])`),
    moveFiles(tx, { workspaceId, from, to: targetId }),
    carryFollowers(tx, workspaceId, { from, to: targetId }),
    carryUnread(tx, workspaceId, { from, to: targetId }),
  ]);
}

/**
 * Nobody answers a merged ticket, so its drafts go on in the target. A member who writes there too keeps both texts
 * where they are.
 */
export async function moveDrafts(
  tx: Tx,
  workspaceId: WorkspaceId,
  { from, to }: { from: TicketId; to: TicketId },
): Promise<void> {
  const drafts = await tx.rows<{ id: string }>(sql`
    select d.id
    from drafts d
    where d.workspace_id = ${workspaceId} and d.ticket_id = ${from}
      and ${ofVisible(machineScope(workspaceId), 'd.ticket_id')}
      and not exists (
        select from drafts own
        where own.workspace_id = ${workspaceId} and own.ticket_id = ${to}
          and own.user_id = d.user_id and own.kind = d.kind)`);
  if (drafts.length === 0) return;
  const move = () =>
    tx.run(sql`
      update drafts set ticket_id = ${to}
      where workspace_id = ${workspaceId} and id = any(${drafts.map(({ id }) => id)}::uuid[])`);
  await tx.savepoint(move).catch((error: unknown) => {
    // A member has begun to write in the target at this moment. Then all texts stay where they are.
    if (brokenConstraint(error) !== 'drafts_ticket') throw error;
  });
}

/**
 * Unites the participants. A person new to the target counts as brought by one merge only: that of the first source,
 * where sources that know the person come first.
 */
async function noteMerges(
  tx: Tx,
  workspaceId: WorkspaceId,
  { merges, targetId }: { merges: readonly Merge[]; targetId: TicketId },
): Promise<void> {
  const from = merges.map(({ sourceId }) => sourceId);
  const tagKeys = merges.map(({ broughtTagKeys }) => JSON.stringify(broughtTagKeys));
  await tx.run(sql`
    with people as (
      select distinct on (contact_id) contact_id, ticket_id, is_known
      from ticket_participants
      where workspace_id = ${workspaceId} and ticket_id = any(${from}::uuid[])
      order by contact_id, is_known desc, ticket_id
    ), brought as (
      insert into ticket_participants (workspace_id, ticket_id, contact_id, is_known)
      select ${workspaceId}, ${targetId}, contact_id, is_known from people
      on conflict do nothing
      returning contact_id
    )
    insert into ticket_merges (workspace_id, id, source_id, target_id, source_status, source_archived_at,
      source_snoozed_until, brought_tag_keys, brought_contact_ids, merged_at)
    select ${workspaceId}, g.id, s.id, ${targetId}, s.status, s.archived_at, s.snoozed_until,
      array(select jsonb_array_elements_text(g.tag_keys)),
      array(select b.contact_id from brought b join people p on p.contact_id = b.contact_id where p.ticket_id = s.id),
      ${tx.now}
    from unnest(${merges.map(({ id }) => id)}::uuid[], ${from}::uuid[], ${tagKeys}::jsonb[]) g (id, source_id, tag_keys)
    join tickets s on s.workspace_id = ${workspaceId} and s.id = g.source_id`);
}
