import { together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';
import type { MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import { deliveryKey, queueDelivery } from '../../helpdesk/messages/queue-delivery.ts';

/** An attempt takes minutes at most, and a busy queue adds some delay. */
const graceMinutes = 10;

/** Queues overdue answers that have no job. Without one they would never be sent or fail. */
export const requeueLostDeliveries: Sweep = async (tx, rowsMax) => {
  const overdue = await tx.rows<{ workspaceId: WorkspaceId; messageId: MessageId }>(sql`
    select m.workspace_id as "workspaceId", m.id as "messageId"
    from messages m
    where m.delivery_status in ('scheduled', 'queued', 'sending')
      and greatest(m.delivery_next_attempt_at, m.handing_over_at, m.created_at)
        < ${tx.now}::timestamptz - make_interval(mins => ${graceMinutes}::int)
    limit ${rowsMax}`);
  const keys = overdue.map(({ messageId }) => deliveryKey(messageId));
  const queued = await tx.rows<{ key: string }>(sql`
    select key from graphile_worker._private_jobs where key = any(${keys}::text[])`);
  const hasJob = new Set(queued.map(({ key }) => key));
  const lost = overdue.filter(({ messageId }) => !hasJob.has(deliveryKey(messageId)));
  await together(lost.map((delivery) => queueDelivery(tx, delivery)));
  return lost.length;
};
