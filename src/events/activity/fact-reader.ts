import type { Cause } from '../../ground/catalog/cause.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { type Moment, readMoment } from '../../ground/database/moment.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { tableNamed } from '../../ground/database/table-sql.ts';
import { nilId, type TicketId, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';

/**
 * Readers of facts that keep their place in a row, and so read each fact once: after a crash too, and however many
 * processes read. Streams keep theirs in memory and at the client instead (`stream/read-facts.ts`).
 */

/** Tables of readers. A row has the columns `workspace_id`, `id`, `read_transaction_id` and `read_id`. */
type ReaderTable = 'webhooks' | 'report_readers' | 'rule_readers';

type FactReader = { table: ReaderTable; workspaceId: WorkspaceId; id: string };

/** The (transaction, id) of the last fact that was read. */
type FactPosition = { transactionId: string; id: string };

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
  /** The ticket at the time of reading. */
  ticket: { id: TicketId; ticketNumber: number; status: string; priority: string; assigneeId: UserId | null } | null;
};

/** The position of a reader that starts with facts committed from now on. */
export async function factsFromNow(db: Queryable): Promise<FactPosition> {
  const { horizon } = await readMoment(db);
  return { transactionId: horizon, id: nilId };
}

/**
 * The condition that the row `r` of a reader has facts to read, or is ahead. For the list of its due work; a statement
 * about one workspace names it.
 */
export function hasNews({ horizon, next }: Moment, workspace: Sql = sql`r.workspace_id`): Sql {
  return sql`(
    r.read_transaction_id > ${next}::xid8
    or exists (
      select 1 from activity a
      where a.workspace_id = ${workspace} and (a.transaction_id, a.id) > (r.read_transaction_id, r.read_id)
        and a.transaction_id < ${horizon}::xid8))`;
}

/**
 * Reads the next facts and works on them. Work that takes long returns the last fact that it has worked on, and the
 * others are read again. What the work writes is one commit with the new position. The row is locked
 * until then, so a concurrent call waits, and reads on from there. The order of facts is final. The work reads no other
 * server, because all readers wait for this transaction to end.
 */
export async function readOn(
  tx: Tx,
  reader: FactReader & { factsMax: number },
  work: (facts: readonly ReadFact[]) => Promise<ReadFact | undefined>,
): Promise<void> {
  const { table, workspaceId, id, factsMax } = reader;
  const position = await tx.maybe<FactPosition>(sql`
    select read_transaction_id::text as "transactionId", read_id as id
    from ${tableNamed(table)}
    where workspace_id = ${workspaceId} and id = ${id}
    for no key update`);
  if (position === undefined) return;
  const facts = await listFacts(tx, workspaceId, position, factsMax);
  const end = facts.at(-1);
  if (end === undefined) return startAnewIfAhead(tx, reader);
  const last = (await work(facts)) ?? end;
  await tx.run(sql`
    update ${tableNamed(table)} set read_transaction_id = ${last.transactionId}::xid8, read_id = ${last.id}
    where workspace_id = ${workspaceId} and id = ${id}`);
}

/**
 * Lists the next facts that no later commit can precede. Ids and transaction numbers are assigned before the commit. So
 * facts wait until every transaction that began before theirs has ended.
 */
async function listFacts(
  tx: Tx,
  workspaceId: WorkspaceId,
  { transactionId, id }: FactPosition,
  factsMax: number,
): Promise<ReadFact[]> {
  const { horizon } = await readMoment(tx);
  return tx.rows<ReadFact>(sql`
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

/**
 * Resets the position after a restore into another server, whose transaction ids start lower. The locking statement
 * cannot check this: its snapshot predates its wait, and the previous lock holder may have read further.
 */
async function startAnewIfAhead(tx: Tx, { table, workspaceId, id }: FactReader): Promise<void> {
  const { horizon, next } = await readMoment(tx);
  await tx.run(sql`
    update ${tableNamed(table)} set read_transaction_id = ${horizon}::xid8, read_id = ${nilId}
    where workspace_id = ${workspaceId} and id = ${id} and read_transaction_id > ${next}::xid8`);
}
