import type { Cause } from '../../ground/catalog/cause.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { readMoment } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import { nilId, type UserId } from '../../ground/lib/ids.ts';
import type { WebhookKey } from './queries.ts';

/** The (transaction, id) of the last fact that a webhook has read. */
export type FactPosition = { transactionId: string; id: string };

/** A fact as a webhook sends it. The ticket has its state at the time of reading. */
export type ReadFact = {
  id: string;
  transactionId: string;
  type: string;
  actorType: string;
  actorUserId: UserId | null;
  data: object;
  cause: Cause | null;
  createdAt: string;
  /** Whether the ticket is spam now. */
  isSpam: boolean;
  ticket: { id: string; ticketNumber: number; status: string; priority: string; assigneeId: UserId | null } | null;
};

/** The position of a webhook that starts with facts committed from now on. */
export async function factsFromNow(db: Queryable): Promise<FactPosition> {
  const { horizon } = await readMoment(db);
  return { transactionId: horizon, id: nilId };
}

/**
 * Reads the next facts that no later commit can precede. Ids and transaction numbers are assigned before the commit.
 * So facts wait until every transaction that began before theirs has ended.
 */
export async function readFacts(
  db: Queryable,
  { workspaceId }: Pick<WebhookKey, 'workspaceId'>,
  { transactionId, id }: FactPosition,
  factsMax: number,
): Promise<ReadFact[]> {
  const { horizon } = await readMoment(db);
  return db.rows<ReadFact>(sql`
    select a.id, a.transaction_id::text as "transactionId", a.type, a.actor_type as "actorType",
      a.actor_user_id as "actorUserId", a.data, a.cause, a.created_at as "createdAt",
      t.spam_at is not null as "isSpam",
      case when t.id is not null then jsonb_build_object('id', t.id, 'ticketNumber', t.ticket_number,
        'status', t.status, 'priority', t.priority, 'assigneeId', t.assignee_id) end as ticket
    from activity a
    left join tickets t on t.workspace_id = ${workspaceId} and t.id = a.ticket_id
    where a.workspace_id = ${workspaceId} and (a.transaction_id, a.id) > (${transactionId}::xid8, ${id}::uuid)
      and a.transaction_id < ${horizon}::xid8
    order by a.transaction_id, a.id
    limit ${factsMax}`);
}
