import type { Actor } from '../../ground/catalog/actor.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { awaitTelling, isOfSeveral, settleCounts } from './gathered-count.ts';
import { type NotificationRow, notificationColumns } from './queries.ts';
import type { Notification } from './schema.ts';

/** Marks one of the actor's own notifications read. Keeps the time of the first reading. */
export async function markRead(tx: Tx, actor: Actor, notificationId: string): Promise<Notification> {
  const isIt = sql`workspace_id = ${actor.workspaceId} and user_id = ${actor.userId} and id = ${notificationId}
    and ${ofVisible(actor, 'notifications.reference_id')}`;
  const [, , , notification] = await together([
    awaitTelling(tx, actor.workspaceId),
    settleCounts(tx, actor, isIt),
    tx.run(sql`
      update notifications set read_at = ${tx.now}, read_transaction_id = pg_current_xact_id()
      where ${isIt} and read_at is null`),
    tx.maybe<NotificationRow>(sql`select ${notificationColumns} from notifications where ${isIt}`),
  ]);
  if (notification === undefined) throw new AppError('notification.not_found');
  return notification;
}

/**
 * Marks everybody's notifications of a ticket read, at the end of the transaction. Those of other tickets in its
 * mailbox stay, also of a ticket that is told meanwhile.
 */
export function readNotificationsOf(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): void {
  tx.last(async () => {
    await together([
      awaitTelling(tx, workspaceId),
      tx.run(sql`
        update notifications set read_at = ${tx.now}, read_transaction_id = pg_current_xact_id()
        where workspace_id = ${workspaceId} and read_at is null and not (${isOfSeveral(machineScope(workspaceId))})
          and activity_id in (
            select a.id from activity a where a.workspace_id = ${workspaceId} and a.ticket_id = ${ticketId}
          )`),
    ]);
  });
}

/** Takes back that a colleague answered: the answer is cancelled. Whoever has read of it keeps the notification. */
export async function withdrawAnswer(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticketId, messageId }: { ticketId: TicketId; messageId: MessageId },
): Promise<void> {
  await tx.run(sql`
    delete from notifications
    where workspace_id = ${workspaceId} and type = 'colleague' and message_id = ${messageId} and read_at is null
      and activity_id in (
        select a.id from activity a where a.workspace_id = ${workspaceId} and a.ticket_id = ${ticketId}
      )`);
}

/** Marks all current notifications of the actor read. @returns how many were unread */
export async function markAllRead(tx: Tx, actor: Actor): Promise<number> {
  const areTheirs = sql`workspace_id = ${actor.workspaceId} and user_id = ${actor.userId} and read_at is null`;
  const [, , count] = await together([
    awaitTelling(tx, actor.workspaceId),
    settleCounts(tx, actor, areTheirs),
    tx.run(sql`
      update notifications set read_at = ${tx.now}, read_transaction_id = pg_current_xact_id()
      where ${areTheirs}`),
  ]);
  return count;
}
