import type { TicketEvents, TicketEventType } from '../catalog/events.ts';
import type { TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import { type Telling, tell } from '../notifications/tell.ts';
import { type Tx, together } from '../platform/db.ts';
import { type Sql, sql } from '../platform/sql.ts';

type FactActor = { type: 'agent'; userId: UserId } | { type: 'customer' | 'system' };

export type Fact<Type extends TicketEventType> = {
  workspaceId: WorkspaceId;
  ticketId: TicketId;
  actor: FactActor;
  type: Type;
  data: TicketEvents[Type];
  /** Given where what happened may concern people. Facts of one change are told with one of them, so that nobody is told twice. */
  tell?: Telling;
};

/**
 * Writes what happened, and tells whom it concerns, in the transaction of the change itself: no fact without its change,
 * no notification without its fact. Its statements may be sent along with others: await them together.
 * @returns the members whom it concerns
 */
export async function record<Type extends TicketEventType>(tx: Tx, fact: Fact<Type>): Promise<UserId[]> {
  const { workspaceId, ticketId, actor, data } = fact;
  const activityId = tx.newId();
  const actorUserId = actor.type === 'agent' ? actor.userId : null;
  const written = tx.run(insertFact(tx, activityId, fact, sql`${JSON.stringify(data)}::jsonb`));
  const told = fact.tell && tell(tx, { workspaceId, ticketId, activityId, actorUserId }, fact.tell);
  const [, members = []] = await together([written, told]);
  return members;
}

/**
 * The insert of a fact by the statement that makes its change: one for the row of `from`, where there is one.
 * @param data as `TicketEvents` has it, of that row
 */
export function recordFrom<Type extends TicketEventType>(
  tx: Tx,
  fact: Omit<Fact<Type>, 'data' | 'tell'>,
  data: Sql,
  from: Sql,
): Sql {
  return sql`${insertFact(tx, tx.newId(), fact, data)} from ${from}`;
}

function insertFact(
  tx: Tx,
  activityId: string,
  { workspaceId, ticketId, actor, type }: Omit<Fact<TicketEventType>, 'data' | 'tell'>,
  data: Sql,
): Sql {
  tx.touch(workspaceId);
  return sql`
    insert into activity (workspace_id, id, ticket_id, type, actor_type, actor_user_id, data, created_at)
    select ${workspaceId}::uuid, ${activityId}::uuid, ${ticketId}::uuid, ${type}::text, ${actor.type}::text,
      ${actor.type === 'agent' ? actor.userId : null}::uuid, ${data}, ${tx.now}::timestamptz`;
}
