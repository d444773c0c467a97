import { languageColumn } from '../../access/accounts/queries.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { type Hidden, hiddenFrom, sightOf } from '../../ground/database/sight.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import type { TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Language } from '../../ground/lib/language.ts';
import { titleOf } from './gather.ts';
import { isCountedFor } from './gathered-count.ts';
import type { GatheredType } from './rules.ts';

type Held = { id: string; type: GatheredType; userId: UserId; hidden: Hidden; language: Language };
type Next = { id: string; activityId: string; ticketId: TicketId; name: string };

/**
 * Lets unread notifications that gather, and begin with one of these tickets, begin with the next fact of another
 * ticket. Those that count no other stay as they are. Call it before the tickets or their names are deleted.
 */
export async function passOn(tx: Tx, workspaceId: WorkspaceId, ticketIds: readonly TicketId[]): Promise<void> {
  const held = await tx.rows<Held>(sql`
    select n.id, n.type, n.user_id as "userId", ${hiddenFrom(workspaceId)}, ${languageColumn} as language
    from notifications n
    join members m on m.workspace_id = ${workspaceId} and m.user_id = n.user_id
    join users u on u.id = n.user_id
    where n.workspace_id = ${workspaceId} and n.read_at is null and n.title_of_many is not null
      and n.activity_id in (
        select a.id from activity a where a.workspace_id = ${workspaceId} and a.ticket_id = any(${ticketIds}::uuid[])
      )
    order by n.user_id, n.id
    for no key update of n`);
  const bySight = Map.groupBy(held, sightOf);
  const found = await together(
    [...bySight].map(([sight, rows]) =>
      tx.rows<Next>(sql`
        select n.id, f.activity_id as "activityId", f.ticket_id as "ticketId", f.name
        from notifications n
        cross join lateral (
          select g.activity_id, g.ticket_id, '#' || t.ticket_number || ' ' || t.subject as name
          from gathered_facts g
          join tickets t on t.workspace_id = ${workspaceId} and t.id = g.ticket_id
          where g.workspace_id = ${workspaceId} and ${isCountedFor(sql`n`)} and g.ticket_id <> all(${ticketIds}::uuid[])
            and t.trashed_at is null and t.spam_at is null and ${visible({ workspaceId, sight }, 't')}
          order by g.activity_id
          limit 1
          -- Waits for a concurrent deletion of that ticket.
          for key share of t
        ) f
        where n.workspace_id = ${workspaceId} and n.id = any(${rows.map(({ id }) => id)}::uuid[])`),
    ),
  );
  const next = new Map(found.flat().map((row) => [row.id, row]));
  const moved = held.flatMap((row) => {
    const to = next.get(row.id);
    return to === undefined ? [] : [{ ...to, title: titleOf(row.type, { ...row, ...to }) }];
  });
  if (moved.length === 0) return;
  await tx.run(sql`
    update notifications n
    set activity_id = p.activity_id, reference_id = p.reference_id, title = p.title
    from unnest(${moved.map(({ id }) => id)}::uuid[], ${moved.map(({ activityId }) => activityId)}::uuid[],
      ${moved.map(({ ticketId }) => ticketId)}::uuid[], ${moved.map(({ title }) => title)}::text[])
      p (id, activity_id, reference_id, title)
    where n.workspace_id = ${workspaceId} and n.id = p.id`);
}
