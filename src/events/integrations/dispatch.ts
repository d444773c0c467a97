import { type Tx, together } from '../../ground/database/db.ts';
import { readMoment } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import { nilId, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { WebhookKey } from './queries.ts';
import { type FactPosition, type ReadFact, readFacts } from './read-facts.ts';

/** A webhook with more unread facts stays due. So its first deliveries need not wait until all facts are read. */
const factsMax = 1_000;

type Reader = FactPosition & { events: string[] };

/**
 * Creates deliveries from the next facts that a webhook has not read, and saves its new position in the same commit. A
 * concurrent dispatch continues from that position.
 */
export async function dispatchFacts(tx: Tx, webhook: WebhookKey): Promise<void> {
  const { workspaceId, webhookId } = webhook;
  const reader = await tx.maybe<Reader>(sql`
    select read_transaction_id::text as "transactionId", read_id as id, events
    from webhooks
    where workspace_id = ${workspaceId} and id = ${webhookId} and status = 'active'
    for no key update`);
  if (reader === undefined) return;
  const facts = await readFacts(tx, webhook, reader, factsMax);
  const last = facts.at(-1);
  if (last === undefined) return startAnewIfAhead(tx, webhook);
  const wanted = facts.filter((fact) => isWanted(reader, fact));
  await together([
    tx.run(sql`
      update webhooks set read_transaction_id = ${last.transactionId}::xid8, read_id = ${last.id}
      where workspace_id = ${workspaceId} and id = ${webhookId}`),
    wanted.length === 0 ? undefined : addDeliveries(tx, webhook, wanted),
  ]);
}

/** Of a ticket in spam, a webhook gets only the events by which the ticket becomes spam or leaves spam. */
function isWanted({ events }: Reader, { type, isSpam }: ReadFact): boolean {
  if (isSpam && type !== 'ticket.spam_changed') return false;
  return events.length === 0 || events.includes(type);
}

/**
 * Resets the position after a restore into another server, whose transaction ids start lower. The locking statement
 * cannot check this: its snapshot predates its wait, and the previous lock holder may have read further.
 */
async function startAnewIfAhead(tx: Tx, { workspaceId, webhookId }: WebhookKey): Promise<void> {
  const { horizon, next } = await readMoment(tx);
  await tx.run(sql`
    update webhooks set read_transaction_id = ${horizon}::xid8, read_id = ${nilId}
    where workspace_id = ${workspaceId} and id = ${webhookId} and read_transaction_id > ${next}::xid8`);
}

async function addDeliveries(
  tx: Tx,
  { workspaceId, webhookId }: WebhookKey,
  facts: readonly ReadFact[],
): Promise<void> {
  const column = (of: (fact: ReadFact) => string) => facts.map(of);
  await tx.run(sql`
    insert into webhook_deliveries
      (workspace_id, id, webhook_id, activity_id, type, payload, status, next_attempt_at, created_at)
    select w.workspace_id, d.id, ${webhookId}::uuid, d.activity_id, d.type, d.payload, 'pending',
      ${tx.now}::timestamptz, ${tx.now}::timestamptz
    from ${workspaceRow}
    cross join unnest(${column(() => tx.newId())}::uuid[], ${column(({ id }) => id)}::uuid[],
      ${column(({ type }) => type)}::text[],
      ${column((fact) => JSON.stringify(payloadOf(workspaceId, fact)))}::jsonb[]) d (id, activity_id, type, payload)
    where w.workspace_id = ${workspaceId}
    on conflict do nothing`);
}

/** Contains ids and small fields only. Receivers with access read the content over the API. */
function payloadOf(workspaceId: WorkspaceId, fact: ReadFact): object {
  const { id, type, createdAt, actorType, actorUserId, cause, ticket, data: details } = fact;
  const actor = { type: actorType, userId: actorUserId };
  return {
    type,
    timestamp: createdAt,
    data: { id, workspaceId, actor, ...(cause !== null && { cause }), ticket, details },
  };
}
