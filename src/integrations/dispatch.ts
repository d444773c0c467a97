import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { enqueueDelivery, enqueueDispatch } from './enqueue.ts';
import type { WebhookKey } from './queries.ts';
import { areFactsWaiting, factsFromNow, type Position, type ReadFact, readFacts } from './read-facts.ts';

const batchMax = 200;
/** Transactions are mostly a matter of milliseconds: looking again is faster than a job that waits for its time. */
const looksMax = 5;
const lookAgainMs = 100;
const lookLaterMs = 2_000;

/** Makes deliveries of what happened in a workspace since each of its webhooks last looked. */
export async function dispatchFacts(
  { db }: Pick<App, 'db'>,
  { workspaceId }: { workspaceId: WorkspaceId },
): Promise<void> {
  for (let look = 1; ; look++) {
    const webhooks = await db.rows<{ webhookId: string }>(sql`
      select id as "webhookId" from webhooks where workspace_id = ${workspaceId} and status = 'active' order by id`);
    if (webhooks.length === 0) return;
    for (const { webhookId } of webhooks)
      while ((await db.tx((tx) => dispatchTo(tx, { workspaceId, webhookId }))) === batchMax);
    if (!(await areFactsWaiting(db, { workspaceId }))) return;
    if (look === looksMax) break;
    await sleep(lookAgainMs);
  }
  await db.tx((tx) => enqueueDispatch(tx, workspaceId, new Date(tx.now.getTime() + lookLaterMs)));
}

type Reader = Position & { events: string[] };

/** The deliveries, their job and how far was read are one commit; of two that run at once the second reads on from there. */
async function dispatchTo(tx: Tx, webhook: WebhookKey): Promise<number> {
  const { workspaceId, webhookId } = webhook;
  const reader = await tx.maybe<Reader>(sql`
    select read_transaction_id::text as "transactionId", read_id as id, events
    from webhooks
    where workspace_id = ${workspaceId} and id = ${webhookId} and status = 'active'
    for no key update`);
  if (reader === undefined) return 0;
  const facts = await readFacts(tx, webhook, reader, batchMax);
  const last = facts.at(-1);
  if (last === undefined) return startAnewIfAhead(tx, webhook);
  const wanted = facts.filter(({ type }) => reader.events.length === 0 || reader.events.includes(type));
  await together([
    tx.run(sql`
      update webhooks set read_transaction_id = ${last.transactionId}::xid8, read_id = ${last.id}
      where workspace_id = ${workspaceId} and id = ${webhookId}`),
    ...(wanted.length === 0 ? [] : [addDeliveries(tx, webhook, wanted), enqueueDelivery(tx, webhook)]),
  ]);
  return facts.length;
}

/**
 * Where the database was restored in another server, whose transactions count from a lower number. Not to be asked by the
 * statement that locks: its snapshot is from before it waited, and whoever had the lock may have read on further than that.
 */
async function startAnewIfAhead(tx: Tx, { workspaceId, webhookId }: WebhookKey): Promise<number> {
  await tx.run(sql`
    update webhooks set (read_transaction_id, read_id) = row(${factsFromNow})
    where workspace_id = ${workspaceId} and id = ${webhookId}
      and read_transaction_id > pg_snapshot_xmax(pg_current_snapshot())`);
  return 0;
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
    select ${workspaceId}, d.id, ${webhookId}, d.activity_id, d.type, d.payload, 'pending', ${tx.now}, ${tx.now}
    from unnest(${column(() => tx.newId())}::uuid[], ${column(({ id }) => id)}::uuid[], ${column(({ type }) => type)}::text[],
      ${column((fact) => JSON.stringify(payloadOf(workspaceId, fact)))}::jsonb[]) d (id, activity_id, type, payload)
    on conflict do nothing`);
}

/** Ids and small fields: what was written is had by whoever may read it, over the API. */
function payloadOf(workspaceId: WorkspaceId, fact: ReadFact): object {
  const { id, type, createdAt, actorType, actorUserId, ticket, data: details } = fact;
  const actor = { type: actorType, userId: actorUserId };
  return { type, timestamp: createdAt, data: { id, workspaceId, actor, ticket, details } };
}
