import type { Blobs } from '../../ground/blobs/blobs.ts';
import type { Db, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { giveBackStorage } from './storage-quota.ts';

/** How long an upload may wait for a message, and a noted loose blob for an attachment. */
const unusedHoursMax = 24;
/** Mail puts the bytes of its files before its rows name them. Bytes put within this time may still get a name. */
const namingHoursMax = 6;
const hourMs = 3_600_000;
const blobsMax = 1_000;

/**
 * Deletes uploads that no message, draft or saved reply took within a day. An upload that is being taken at this moment
 * stays.
 */
export const sweepUnusedUploads: Sweep = async (tx, rowsMax) => {
  const deleted = await tx.rows<{ workspaceId: WorkspaceId; sha256: string; sizeBytes: number }>(sql`
    delete from attachments
    where message_id is null and draft_id is null and saved_reply_id is null and (workspace_id, id) in (
      select workspace_id, id
      from attachments
      where message_id is null and draft_id is null and saved_reply_id is null
        and created_at < ${hoursBefore(tx.now, unusedHoursMax)}
      limit ${rowsMax})
    returning workspace_id as "workspaceId", sha256, size_bytes as "sizeBytes"`);
  // Notes the blobs with an old time, so that the same sweep checks them. An existing note belongs to a newer upload.
  await tx.run(sql`
    insert into loose_blobs (workspace_id, sha256, noted_at)
    select distinct d.workspace_id, d.sha256, ${hoursBefore(tx.now, unusedHoursMax)}::timestamptz
    from unnest(${deleted.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${deleted.map(({ sha256 }) => sha256)}::text[]) d (workspace_id, sha256)
    on conflict (workspace_id, sha256) do nothing`);
  await giveBackStorage(tx, deleted);
  return deleted.length;
};

/**
 * Removes blobs that were noted as loose a day ago, if no row names them. Each blob has its own transaction, whose lock
 * makes uploads of the same bytes wait during the call to the store.
 */
export async function removeLooseBlobs({ db, blobs, clock }: { db: Db; blobs: Blobs; clock: Clock }): Promise<void> {
  const notedBefore = hoursBefore(clock.now(), unusedHoursMax);
  for (;;) {
    const noted = await db.rows<LooseBlob>(sql`
      select workspace_id as "workspaceId", sha256
      from loose_blobs
      where noted_at <= ${notedBefore}
      order by noted_at
      limit ${blobsMax}`);
    let checked = 0;
    for (const blob of noted) if (await db.tx((tx) => removeOne(tx, blobs, blob, notedBefore))) checked++;
    if (checked < blobsMax) return;
  }
}

type LooseBlob = { workspaceId: WorkspaceId; sha256: string };

/** @returns false if another process checks or has checked the blob, or an upload has noted it anew */
async function removeOne(
  tx: Tx,
  blobs: Blobs,
  { workspaceId, sha256 }: LooseBlob,
  notedBefore: Date,
): Promise<boolean> {
  const loose = await tx.maybe(sql`
    select from loose_blobs
    where workspace_id = ${workspaceId} and sha256 = ${sha256} and noted_at <= ${notedBefore}
    for update skip locked`);
  if (loose === undefined) return false;
  const named = await tx.one<{ file: boolean; mail: boolean }>(sql`
    select exists (
        select from attachments where workspace_id = ${workspaceId} and sha256 = ${sha256}
      ) or exists (
        select from remote_images where workspace_id = ${workspaceId} and sha256 = ${sha256}
      ) as file,
      exists (
        select from raw_mails where workspace_id = ${workspaceId} and sha256 = ${sha256} and erased_at is null
      ) as mail`);
  const putBefore = hoursBefore(tx.now, namingHoursMax);
  const isFileGone = named.file || (await blobs.remove(workspaceId, sha256, putBefore));
  const isMailGone = named.mail || (await blobs.packed.remove(workspaceId, sha256, putBefore));
  if (isFileGone && isMailGone) {
    await tx.run(sql`delete from loose_blobs where workspace_id = ${workspaceId} and sha256 = ${sha256}`);
  } else {
    await tx.run(sql`
      update loose_blobs set noted_at = ${tx.now} where workspace_id = ${workspaceId} and sha256 = ${sha256}`);
  }
  return true;
}

function hoursBefore(at: Date, hours: number): Date {
  return new Date(at.getTime() - hours * hourMs);
}
