import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import { type NotifiableFact, peopleToTell, titleOf, titlesOfMany } from './rules.ts';

/** The facts to notify of, and the ticket for the title. */
export type Telling = {
  facts: readonly NotifiableFact[];
  ticket: { ticketNumber: number; subject: string };
  /** The id of a bulk change, of which each person gets one notification. */
  bulkId?: string | undefined;
};

/**
 * Notifies the people whom a change concerns, by the rules and their preferences. One statement, so a caller can batch
 * it with others.
 * @param activityId the fact's id; a notification of a bulk change keeps the id of the last fact
 * @returns the members concerned, including those who do not want notifications
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
      select t.id, m.user_id, t.type, t.message_id, t.title,
        coalesce((p.types->t.type->>'inApp')::boolean, true) as is_wanted
      from unnest(${told.map(() => tx.newId())}::uuid[], ${told.map(({ userId }) => userId)}::uuid[],
        ${told.map(({ type }) => type)}::text[], ${told.map(({ messageId }) => messageId)}::uuid[],
        ${told.map(({ type }) => titleOf(type, ticket))}::text[]) t (id, user_id, type, message_id, title)
      join members m on m.workspace_id = ${workspaceId} and m.user_id = t.user_id and m.removed_at is null
      left join notification_preferences p on p.user_id = t.user_id
      -- Waits for a concurrent removal of a member, who then gets no notification.
      for key share of m
    ), told as (
      insert into notifications as n
        (workspace_id, id, user_id, type, reference_id, message_id, actor_id, activity_id, title, bulk_id, created_at)
      select ${workspaceId}::uuid, id, user_id, type, ${ticketId}::uuid, message_id, ${actorUserId}::uuid,
        ${activityId}::uuid, title, ${bulkId ?? null}::uuid, ${tx.now}::timestamptz
      from people
      where is_wanted
      -- Becomes unread again, because it now covers another ticket.
      on conflict (workspace_id, user_id, type, bulk_id) where bulk_id is not null do update
      set count = n.count + 1, reference_id = excluded.reference_id, activity_id = excluded.activity_id,
        title = format(${JSON.stringify(titlesOfMany)}::jsonb->>n.type, n.count + 1),
        read_at = null, read_transaction_id = null
    )
    select user_id as "userId" from people`);
  return rows.map(({ userId }) => userId);
}
