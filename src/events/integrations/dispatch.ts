import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { type ReadFact, readOn } from '../activity/fact-reader.ts';
import type { WebhookKey } from './queries.ts';

/** A webhook with more unread facts stays due. So its first deliveries need not wait until all facts are read. */
const factsMax = 1_000;

/** Creates deliveries from the next facts that a webhook has not read. */
export async function dispatchFacts(tx: Tx, webhook: WebhookKey): Promise<void> {
  const { workspaceId, webhookId } = webhook;
  await readOn(tx, { table: 'webhooks', workspaceId, id: webhookId, factsMax }, async (facts) => {
    const active = await tx.maybe<{ events: string[] }>(sql`
      select events from webhooks where workspace_id = ${workspaceId} and id = ${webhookId} and status = 'active'`);
    const wanted = active === undefined ? [] : facts.filter((fact) => isWanted(active.events, fact));
    if (wanted.length > 0) await addDeliveries(tx, webhook, wanted);
    return undefined;
  });
}

/** Of a ticket in spam, a webhook gets only the events by which the ticket becomes spam or leaves spam. */
function isWanted(events: readonly string[], { type, isSpam }: ReadFact): boolean {
  if (isSpam && type !== 'ticket.spam_changed') return false;
  return events.length === 0 || events.includes(type);
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
