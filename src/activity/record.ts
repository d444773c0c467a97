import type { TicketEvents, TicketEventType } from '../catalog/events.ts';
import type { MessageId, TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import { type NotifiableFact, peopleToTell, titleOf } from '../notifications/rules.ts';
import { type Tx, together } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

type FactActor = { type: 'agent'; userId: UserId } | { type: 'customer' | 'system' };

export type Fact<Type extends TicketEventType> = {
  workspaceId: WorkspaceId;
  ticketId: TicketId;
  actor: FactActor;
  type: Type;
  data: TicketEvents[Type];
  /** Given where the fact may concern people: what the rules need, and the ticket as the notification names it. */
  tell?: { fact: NotifiableFact; ticket: { ticketNumber: number; subject: string }; messageId?: MessageId };
};

/**
 * Writes what happened, and tells whom it concerns, in the transaction of the change itself: no fact without its change,
 * no notification without its fact. Its statements may be sent along with others: await them together.
 */
export async function record<Type extends TicketEventType>(tx: Tx, fact: Fact<Type>): Promise<void> {
  const { workspaceId, ticketId, actor, type, data, tell } = fact;
  const activityId = tx.newId();
  tx.touch(workspaceId);
  const actorUserId = actor.type === 'agent' ? actor.userId : null;
  const written = tx.run(sql`
    insert into activity (workspace_id, id, ticket_id, type, actor_type, actor_user_id, data, created_at)
    values (${workspaceId}, ${activityId}, ${ticketId}, ${type}, ${actor.type}, ${actorUserId}, ${JSON.stringify(data)}, ${tx.now})`);
  const told = tell === undefined ? [] : peopleToTell(tell.fact).filter(({ userId }) => userId !== actorUserId);
  if (tell === undefined || told.length === 0) {
    await written;
    return;
  }
  const notified = tx.run(sql`
    insert into notifications
      (workspace_id, id, user_id, type, reference_id, message_id, actor_id, activity_id, title, created_at)
    select m.workspace_id, t.id, m.user_id, t.type, ${ticketId}, ${tell.messageId ?? null}, ${actorUserId}, ${activityId},
      t.title, ${tx.now}
    from unnest(${told.map(() => tx.newId())}::uuid[], ${told.map(({ userId }) => userId)}::uuid[],
      ${told.map(({ type: kind }) => kind)}::text[], ${told.map(({ type: kind }) => titleOf(kind, tell.ticket))}::text[])
      t (id, user_id, type, title)
    join members m on m.workspace_id = ${workspaceId} and m.user_id = t.user_id
    -- Who is being dropped at this moment is waited for, and then not told.
    for key share of m`);
  await together([written, notified]);
}
