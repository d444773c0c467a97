import type { Performer } from '../../ground/catalog/doer.ts';
import type { EventType, Fact } from '../../ground/catalog/events.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { pastTransaction } from '../../ground/database/moment.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { notify } from '../notifications/notify.ts';

/**
 * Records a fact and notifies the people concerned, in the transaction of the change. So all three are committed
 * together, or not at all. Comes after the statements of the change: the rules of notifications read their rows.
 * @returns the members that were notified
 */
export async function record<Type extends EventType>(tx: Tx, by: Performer, fact: Fact<Type>): Promise<UserId[]> {
  const { workspaceId, userId } = by;
  const { ticketId = null, type, data } = fact;
  const actorType = by.isCustomer === true ? 'customer' : userId === null ? 'system' : 'agent';
  const cause = by.cause === undefined ? null : JSON.stringify(by.cause);
  const [column, value] =
    fact.isPast === true ? [sql`, transaction_id`, sql`, ${pastTransaction}::xid8`] : [emptySql, emptySql];
  const activityId = tx.newId();
  tx.touch(workspaceId);
  const [, members] = await together([
    tx.run(sql`
      insert into activity
        (workspace_id, id, ticket_id, type, actor_type, actor_user_id, data, cause, created_at${column})
      values (${workspaceId}, ${activityId}, ${ticketId}, ${type}, ${actorType}, ${userId},
        ${JSON.stringify(data)}, ${cause}, ${tx.now}${value})`),
    notify(tx, activityId, { ...fact, by }),
  ]);
  return members;
}
