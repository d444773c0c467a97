import type { MailboxEvents, MailboxEventType, TicketEvents, TicketEventType } from '../catalog/events.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import type { MailboxTrouble } from '../notifications/rules.ts';
import { type Telling, tell } from '../notifications/tell.ts';
import { tellTrouble } from '../notifications/tell-trouble.ts';

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
  const { workspaceId, ticketId, actor, type, data } = fact;
  const activityId = tx.newId();
  const actorUserId = actor.type === 'agent' ? actor.userId : null;
  const written = insertFact(tx, activityId, { workspaceId, ticketId, actor, type, data });
  const told = fact.tell && tell(tx, { workspaceId, ticketId, activityId, actorUserId }, fact.tell);
  const [, members = []] = await together([written, told]);
  return members;
}

export type MailboxFact<Type extends MailboxEventType> = {
  workspaceId: WorkspaceId;
  actor: FactActor;
  type: Type;
  data: MailboxEvents[Type];
  /** Present when owners and admins must be notified. */
  tell?: MailboxTrouble;
};

/** Records a fact about a mailbox, and notifies owners and admins where it says so. */
export async function recordMailboxFact<Type extends MailboxEventType>(tx: Tx, fact: MailboxFact<Type>): Promise<void> {
  const { workspaceId, actor, type, data } = fact;
  const activityId = tx.newId();
  await insertFact(tx, activityId, { workspaceId, ticketId: null, actor, type, data });
  if (fact.tell !== undefined) await tellTrouble(tx, { workspaceId, activityId }, fact.tell);
}

type FactRow = { workspaceId: WorkspaceId; ticketId: TicketId | null; actor: FactActor; type: string; data: object };

function insertFact(tx: Tx, id: string, { workspaceId, ticketId, actor, type, data }: FactRow): Promise<number> {
  tx.touch(workspaceId);
  const actorUserId = actor.type === 'agent' ? actor.userId : null;
  return tx.run(sql`
    insert into activity (workspace_id, id, ticket_id, type, actor_type, actor_user_id, data, created_at)
    values (${workspaceId}, ${id}, ${ticketId}, ${type}, ${actor.type}, ${actorUserId}, ${JSON.stringify(data)}, ${tx.now})`);
}
