import { passOverWaiting } from '../../automation/readers/pass-over.ts';
import { omitDigests } from '../../events/notifications/omit-digests.ts';
import type { Db, Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import { dropJobs } from '../../ground/queue/drop-jobs.ts';
import { settleDelivery } from '../../transport/deliveries/settle-delivery.ts';

/** When the backup was taken whose copy this database is, while the copy is on hold. */
export async function findHold(db: Queryable): Promise<string | undefined> {
  const hold = await db.maybe<{ takenAt: string }>(sql`
    select taken_at as "takenAt" from restores where live_at is null order by taken_at limit 1`);
  return hold?.takenAt;
}

/**
 * Ends the hold of a restored database. What waited in the backup may have left since, from the original service: so
 * its answers become uncertain, which people see and decide, its system mails and digests are dropped, and rules pass
 * over what waits for them. It also becomes an installation of its own, so that its backups never count or remove those
 * of the original.
 * @param isMoved the original service was stopped before the backup, so everything that waits is sent, and the backups
 *   go on
 * @returns the number of answers that became uncertain; undefined if nothing was on hold
 */
export async function goLive(db: Db, { isMoved }: { isMoved: boolean }): Promise<number | undefined> {
  const takenAt = await findHold(db);
  if (takenAt === undefined) return undefined;
  const answers = isMoved ? 0 : await doubtAnswers(db, takenAt);
  await db.tx(async (tx) => {
    if (!isMoved) {
      await dropJobs(tx, 'system-mail.send', takenAt);
      await omitDigests(tx, takenAt);
      await passOverWaiting(tx);
      await tx.run(sql`update installation set id = ${tx.newId()}`);
    }
    await tx.run(sql`update restores set live_at = ${tx.now} where live_at is null`);
  });
  return answers;
}

const error = 'the service was restored from a backup while this answer waited, so it may have left already';

async function doubtAnswers(db: Db, takenAt: string): Promise<number> {
  const waiting = await db.rows<{ workspaceId: WorkspaceId; messageId: MessageId }>(sql`
    select workspace_id as "workspaceId", id as "messageId"
    from messages
    where delivery_status in ('scheduled', 'queued', 'sending') and created_at <= ${takenAt}::timestamptz`);
  let doubted = 0;
  for (const delivery of waiting) {
    if (await db.tx((tx) => settleDelivery(tx, delivery, 'doubt', { error }))) doubted++;
  }
  return doubted;
}
