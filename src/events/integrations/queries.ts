import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { DeliveryView, WebhookView } from './schema.ts';

export type WebhookKey = { workspaceId: WorkspaceId; webhookId: string };

export const webhooksMax = 20;

const webhookColumns: Sql = sql`id, url, events, description, status, disabled_reason as "disabledReason",
  failing_since as "failingSince", previous_secret_until as "previousSecretUntil", created_by_id as "createdBy",
  created_at as "createdAt", updated_at as "updatedAt"`;

export function listWebhooks(db: Queryable, workspaceId: WorkspaceId): Promise<WebhookView[]> {
  return db.rows<WebhookView>(sql`
    select ${webhookColumns}
    from webhooks
    where workspace_id = ${workspaceId}
    order by id desc
    limit ${webhooksMax}`);
}

/** Throws 404 `webhook.not_found`. */
export async function getWebhook(db: Queryable, { workspaceId, webhookId }: WebhookKey): Promise<WebhookView> {
  const webhook = await db.maybe<WebhookView>(sql`
    select ${webhookColumns} from webhooks where workspace_id = ${workspaceId} and id = ${webhookId}`);
  if (webhook === undefined) throw new AppError('webhook.not_found');
  return webhook;
}

const deliveryColumns: Sql = sql`id, type, activity_id as "eventId", status, attempts,
  next_attempt_at as "nextAttemptAt",
  response_status as "responseStatus", error, created_at as "createdAt", settled_at as "settledAt"`;

type DeliveryStatus = DeliveryView['status'];
/** Literals, not parameters, so that the planner can use the partial indexes. */
const ofStatus: Record<DeliveryStatus, Sql> = {
  pending: sql`and status = 'pending'`,
  delivered: sql`and status = 'delivered'`,
  failed: sql`and status = 'failed'`,
};

export type ListDeliveries = WebhookKey & { status?: DeliveryStatus; limit: number; cursor?: string };

/** Newest first. Throws 404 `webhook.not_found`, and 400 for an invalid cursor. */
export async function listDeliveries(
  db: Queryable,
  { workspaceId, webhookId, status, limit, cursor }: ListDeliveries,
): Promise<Page<DeliveryView>> {
  const behind = cursor === undefined ? emptySql : sql`and id < ${readIdCursor(cursor)}::uuid`;
  const chosen = status === undefined ? emptySql : ofStatus[status];
  await getWebhook(db, { workspaceId, webhookId });
  const rows = await db.rows<DeliveryView>(sql`
    select ${deliveryColumns}
    from webhook_deliveries
    where workspace_id = ${workspaceId} and webhook_id = ${webhookId} ${chosen} ${behind}
    order by id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}

/** Throws 404 `webhook.delivery_not_found`. */
export async function getDelivery(
  db: Queryable,
  { workspaceId, webhookId, deliveryId }: WebhookKey & { deliveryId: string },
): Promise<DeliveryView> {
  const delivery = await db.maybe<DeliveryView>(sql`
    select ${deliveryColumns}
    from webhook_deliveries
    where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and id = ${deliveryId}`);
  if (delivery === undefined) throw new AppError('webhook.delivery_not_found');
  return delivery;
}
