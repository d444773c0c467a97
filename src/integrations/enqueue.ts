import type { Tx } from '../database/db.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { enqueue, type KeyedJob } from '../queue/enqueue.ts';
import type { WebhookKey } from './queries.ts';

/**
 * Has the deliveries of a webhook sent that are due. Called with the webhook locked: whoever sends looks for due ones under
 * the same lock before they end, so that none is left behind between two of them.
 */
export function enqueueDelivery(tx: Tx, { workspaceId, webhookId }: WebhookKey, runAt?: Date): Promise<void> {
  const options = { key: deliverKey(webhookId), ...(runAt === undefined ? {} : { runAt }) };
  return enqueue(tx, 'webhook.deliver', { workspaceId, webhookId }, options);
}

/** Has what happened in a workspace made into deliveries. */
export function enqueueDispatch(tx: Tx, workspaceId: WorkspaceId, runAt: Date): Promise<void> {
  return enqueue(tx, 'webhook.dispatch', { workspaceId }, { key: dispatchKey(workspaceId), runAt });
}

/** The same of many workspaces, and of many webhooks, as one statement takes them. */
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
