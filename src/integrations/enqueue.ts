import type { Tx } from '../database/db.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { enqueue, type KeyedJob } from '../queue/enqueue.ts';
import type { WebhookKey } from './queries.ts';

/**
 * Queues a job that sends a webhook's due deliveries. The caller holds the webhook's lock. A sender checks for due
 * deliveries under the same lock before it ends, so none is missed.
 */
export function enqueueDelivery(tx: Tx, { workspaceId, webhookId }: WebhookKey, runAt?: Date): Promise<void> {
  const options = { key: deliverKey(webhookId), ...(runAt === undefined ? {} : { runAt }) };
  return enqueue(tx, 'webhook.deliver', { workspaceId, webhookId }, options);
}

/** Queues a job that turns a workspace's facts into deliveries. */
export function enqueueDispatch(tx: Tx, workspaceId: WorkspaceId, runAt: Date): Promise<void> {
  return enqueue(tx, 'webhook.dispatch', { workspaceId }, { key: dispatchKey(workspaceId), runAt });
}

/** The same job as a value, so that one statement can enqueue many. */
export function dispatchJob(workspaceId: WorkspaceId): KeyedJob {
  const key = dispatchKey(workspaceId);
  return { name: 'webhook.dispatch', payload: { workspaceId }, key, correlationId: undefined };
}

export function deliverJob({ workspaceId, webhookId }: WebhookKey): KeyedJob {
  const key = deliverKey(webhookId);
  return { name: 'webhook.deliver', payload: { workspaceId, webhookId }, key, correlationId: undefined };
}

function dispatchKey(workspaceId: WorkspaceId): string {
  return `webhook.dispatch:${workspaceId}`;
}

function deliverKey(webhookId: string): string {
  return `webhook.deliver:${webhookId}`;
}
