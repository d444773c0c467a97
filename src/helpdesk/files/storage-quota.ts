import type { Db, Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/**
 * `storageBytesMax` limits the storage of a workspace; 0 means no limit and no counting. It counts raw mails, uploads,
 * files of an import until its end, pictures fetched for mails, drafts, texts that people and programs wrote, and
 * reserved room (`reserve-storage.ts`). The files and texts of a mail count as part of the raw mail.
 */

/** Counts of another version are measured again. Version 1 did not count drafts. */
const countVersion = 2;

/**
 * Counts bytes whose rows this transaction writes. The transaction fails with 413 `workspace.storage_full` when the
 * workspace exceeds its limit. A negative number, for fewer bytes than before, never fails. Counts last, because it
 * locks the workspace's count, and waiting for another lock afterwards could deadlock.
 */
export function takeStorage(tx: Tx, workspaceId: WorkspaceId, bytes: number): void {
  const { storageBytesMax: max } = tx.settings;
  if (max === 0 || bytes === 0) return;
  tx.last(async () => {
    const { [workspaceId]: all } = measured.get(tx) ?? {};
    // Without a count, measure: a concurrent transaction that starts the count does not see the rows of this one.
    const used = all ?? (await addBytes(tx, workspaceId, bytes)) ?? (await measureLast(tx, workspaceId));
    if (bytes > 0 && used > max) throw new AppError('workspace.storage_full', { max });
  });
}

/** What transactions have measured at their end: it has all their rows, so that they add nothing to it. */
const measured = new WeakMap<Tx, Record<WorkspaceId, number>>();

async function measureLast(tx: Tx, workspaceId: WorkspaceId): Promise<number> {
  const used = await measure(tx, workspaceId);
  measured.set(tx, { ...measured.get(tx), [workspaceId]: used });
  return used;
}

/** How many bytes count as used. Locks the count until the commit. */
export async function countOf(tx: Tx, workspaceId: WorkspaceId): Promise<number> {
  return (await addBytes(tx, workspaceId, 0)) ?? (await measure(tx, workspaceId));
}

/** Adds bytes that were checked before. A workspace without a count has no row to update. */
export async function addToCount(tx: Tx, workspaceId: WorkspaceId, bytes: number): Promise<void> {
  await addBytes(tx, workspaceId, bytes);
}

/** The same without a limit, for accepted mail, which is always stored. */
export async function noteStorage(tx: Tx, workspaceId: WorkspaceId, bytes: number): Promise<void> {
  if (tx.settings.storageBytesMax === 0 || bytes === 0) return;
  if ((await addBytes(tx, workspaceId, bytes)) === undefined) await measure(tx, workspaceId);
}

export async function isStorageFull(db: Db, workspaceId: WorkspaceId): Promise<boolean> {
  const { storageBytesMax: max } = db.settings;
  if (max === 0) return false;
  const used = (await readUsed(db, workspaceId)) ?? (await db.tx((tx) => measure(tx, workspaceId)));
  return used >= max;
}

async function readUsed(db: Queryable, workspaceId: WorkspaceId): Promise<number | undefined> {
  const row = await db.maybe<{ used: number }>(sql`
    select used_bytes as used from workspace_storage
    where workspace_id = ${workspaceId} and version = ${countVersion}`);
  return row?.used;
}

/** @returns undefined when there is no count yet */
async function addBytes(tx: Tx, workspaceId: WorkspaceId, bytes: number): Promise<number | undefined> {
  const row = await tx.maybe<{ used: number }>(sql`
    update workspace_storage set used_bytes = used_bytes + ${bytes}
    where workspace_id = ${workspaceId} and version = ${countVersion}
    returning used_bytes as used`);
  return row?.used;
}

/** Starts the count with the rows that this transaction sees. Concurrent writers wait for its lock, then add theirs. */
async function measure(tx: Tx, workspaceId: WorkspaceId): Promise<number> {
  await tx.run(sql`
    insert into workspace_storage (workspace_id, used_bytes) values (${workspaceId}, 0) on conflict do nothing`);
  const { used } = await tx.one<{ used: number }>(sql`
    update workspace_storage set version = ${countVersion}, used_bytes = (
        select coalesce(sum(size_bytes), 0) from raw_mails where workspace_id = ${workspaceId}
      ) + (
        select coalesce(sum(a.size_bytes), 0)
        from attachments a
        left join raw_mails r on r.workspace_id = ${workspaceId} and r.message_id = a.message_id
        where a.workspace_id = ${workspaceId} and r.id is null
      ) + (
        select coalesce(sum(size_bytes), 0) from remote_images where workspace_id = ${workspaceId}
      ) + (
        select coalesce(sum(octet_length(m.body) + coalesce(octet_length(m.body_html), 0)), 0)
        from messages m
        left join raw_mails r on r.workspace_id = ${workspaceId} and r.message_id = m.id
        where m.workspace_id = ${workspaceId} and r.id is null
      ) + (
        select coalesce(sum(${draftBytes}), 0) from drafts d where d.workspace_id = ${workspaceId}
      ) + (
        select coalesce(sum(size_bytes), 0) from mail_imports
        where workspace_id = ${workspaceId} and has_files and state <> 'receiving'
      ) + (
        select coalesce(sum(bytes), 0) from storage_reservations where workspace_id = ${workspaceId}
      )
    where workspace_id = ${workspaceId}
    returning used_bytes as used`);
  return used;
}

/** The size of a draft, for `drafts d`. */
const draftBytes = sql`(
  octet_length(d.subject) + octet_length(d.body) + coalesce(octet_length(d.body_html), 0)
    + octet_length(array_to_string(d.to_addresses || d.cc_addresses || d.bcc_addresses, ''))
)`;

/** Subtracts the bytes of deleted rows. A workspace without a count has no row to update. */
export async function giveBackStorage(
  tx: Tx,
  deleted: readonly { workspaceId: WorkspaceId; sizeBytes: number }[],
): Promise<void> {
  if (deleted.length === 0) return;
  await tx.run(sql`
    update workspace_storage s set used_bytes = s.used_bytes - d.bytes
    from (
      select workspace_id, sum(size_bytes)::bigint as bytes
      from unnest(${deleted.map(({ workspaceId }) => workspaceId)}::uuid[],
        ${deleted.map(({ sizeBytes }) => sizeBytes)}::bigint[]) d (workspace_id, size_bytes)
      group by workspace_id
    ) d
    where s.workspace_id = d.workspace_id`);
}

/** Deletes the counts while there is no limit, because they would be wrong once there is a limit again. */
export const forgetStorage: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from workspace_storage
    where workspace_id in (select workspace_id from workspace_storage limit ${rowsMax})`);

/** Makes the next check measure the workspace again. For use after large deletions. */
export async function recountStorage(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`delete from workspace_storage where workspace_id = ${workspaceId}`);
}
