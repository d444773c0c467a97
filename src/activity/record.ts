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
  /** Present when people may be notified. Pass all facts of a change in one call, so that nobody is notified twice. */
  tell?: Telling;
};

/**
 * Records a fact and notifies the people concerned, in the transaction of the change: no fact without its change, and
 * no notification without its fact. A caller can batch the statements with others by awaiting all of them together.
 * @returns the members concerned
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
    values (${workspaceId}, ${id}, ${ticketId}, ${type}, ${actor.type}, ${actorUserId}, ${JSON.stringify(data)},
      ${tx.now})`);
}
