import type { Actor } from '../catalog/actor.ts';
import { AppError } from '../lib/errors.ts';
import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { notificationColumns } from './queries.ts';
import type { Notification } from './schema.ts';

/** Marks one of the actor's own notifications read; read again, the first time stays. */
export async function markRead(tx: Tx, { workspaceId, userId }: Actor, notificationId: string): Promise<Notification> {
  const notification = await tx.maybe<Notification>(sql`
    update notifications set read_at = coalesce(read_at, ${tx.now})
    where workspace_id = ${workspaceId} and user_id = ${userId} and id = ${notificationId}
    returning ${notificationColumns}`);
  if (notification === undefined) throw new AppError('notification.not_found');
  return notification;
}
