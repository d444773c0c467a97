import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import { type NotifiableFact, peopleToTell, titleOf, titlesOfMany } from './rules.ts';

/** What is told, and the ticket as the notification names it. */
export type Telling = {
  facts: readonly NotifiableFact[];
  ticket: { ticketNumber: number; subject: string };
  /** Of a change of many tickets, of which each person is told once. */
  bulkId?: string | undefined;
};

/**
 * Tells the people whom a change concerns, by the rules and as they prefer it. Its one statement may be sent along with others.
 * @param activityId of the fact that is told; of a bulk change the last one's stays
 * @returns who of them is a member, also those who do not want to be told
 */
export async function tell(
  tx: Tx,
  about: { workspaceId: WorkspaceId; ticketId: TicketId; activityId: string; actorUserId: UserId | null },
  { facts, ticket, bulkId }: Telling,
): Promise<UserId[]> {
  const { workspaceId, ticketId, activityId, actorUserId } = about;
  const told = peopleToTell(facts, actorUserId);
  if (told.length === 0) return [];
  const rows = await tx.rows<{ userId: UserId }>(sql`
    with people as (
      select t.id, m.user_id, t.type, t.message_id, t.title, coalesce((p.types->t.type->>'inApp')::boolean, true) as is_wanted
      from unnest(${told.map(() => tx.newId())}::uuid[], ${told.map(({ userId }) => userId)}::uuid[],
        ${told.map(({ type }) => type)}::text[], ${told.map(({ messageId }) => messageId)}::uuid[],
        ${told.map(({ type }) => titleOf(type, ticket))}::text[]) t (id, user_id, type, message_id, title)
      join members m on m.workspace_id = ${workspaceId} and m.user_id = t.user_id and m.removed_at is null
      left join notification_preferences p on p.user_id = t.user_id
      -- Who is being dropped at this moment is waited for, and then not told.
      for key share of m
    ), told as (
      insert into notifications as n
        (workspace_id, id, user_id, type, reference_id, message_id, actor_id, activity_id, title, bulk_id, created_at)
      select ${workspaceId}::uuid, id, user_id, type, ${ticketId}::uuid, message_id, ${actorUserId}::uuid, ${activityId}::uuid, title,
        ${bulkId ?? null}::uuid, ${tx.now}::timestamptz
      from people
      where is_wanted
      -- It tells of more than was read, if it was.
      on conflict (workspace_id, user_id, type, bulk_id) where bulk_id is not null do update
      set count = n.count + 1, reference_id = excluded.reference_id, activity_id = excluded.activity_id,
        title = format(${JSON.stringify(titlesOfMany)}::jsonb->>n.type, n.count + 1), read_at = null, read_transaction_id = null
    )
    select user_id as "userId" from people`);
  return rows.map(({ userId }) => userId);
}
