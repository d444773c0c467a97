import { AppError } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Db, Queryable, Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Sweep } from '../platform/sweep.ts';

/**
 * What a workspace keeps: mails as they came, uploads, and the texts that people and programs wrote. The files and texts of a mail
 * are part of it. `bytesMax` is what it may keep, 0 for any amount: then nothing is counted.
 */
type Quota = { workspaceId: WorkspaceId; bytesMax: number };

/**
 * Counts bytes whose rows this transaction has written. Throws 413 `workspace.storage_full` where they are too much.
 * Call it last, and await it before the commit is sent: the count's row stays locked, and nobody who has it may wait for another.
 */
export async function takeStorage(tx: Tx, { workspaceId, bytesMax }: Quota, bytes: number): Promise<void> {
  if (bytesMax === 0) return;
  const used = (await addBytes(tx, workspaceId, bytes)) ?? (await measure(tx, workspaceId));
  if (used > bytesMax) throw new AppError('workspace.storage_full', { max: bytesMax });
}

/** Counts bytes that are kept in any case: mail that was promised to be. May be sent along with others, as the last. */
export async function noteStorage(tx: Tx, { workspaceId, bytesMax }: Quota, bytes: number): Promise<void> {
  if (bytesMax > 0 && bytes > 0) await addBytes(tx, workspaceId, bytes);
}

export async function isStorageFull(db: Db, { workspaceId, bytesMax }: Quota): Promise<boolean> {
  if (bytesMax === 0) return false;
  const used = (await readUsed(db, workspaceId)) ?? (await db.tx((tx) => measure(tx, workspaceId)));
  return used >= bytesMax;
}

/** Throws 413 where nothing more is taken, before a file is read. */
export async function refuseWhenFull(db: Db, quota: Quota): Promise<void> {
  if (await isStorageFull(db, quota)) throw new AppError('workspace.storage_full', { max: quota.bytesMax });
}

async function readUsed(db: Queryable, workspaceId: WorkspaceId): Promise<number | undefined> {
  const row = await db.maybe<{ used: number }>(sql`
    select used_bytes as used from workspace_storage where workspace_id = ${workspaceId}`);
  return row?.used;
}

/** @returns undefined where nothing is counted yet */
async function addBytes(tx: Tx, workspaceId: WorkspaceId, bytes: number): Promise<number | undefined> {
  const row = await tx.maybe<{ used: number }>(sql`
    update workspace_storage set used_bytes = used_bytes + ${bytes}
    where workspace_id = ${workspaceId}
    returning used_bytes as used`);
  return row?.used;
}

/** Begins the count, by the rows that this transaction sees. Others that write meanwhile wait for its row, and add theirs. */
async function measure(tx: Tx, workspaceId: WorkspaceId): Promise<number> {
  await tx.run(sql`
    insert into workspace_storage (workspace_id, used_bytes) values (${workspaceId}, 0) on conflict do nothing`);
  const { used } = await tx.one<{ used: number }>(sql`
    update workspace_storage set used_bytes = (
        select coalesce(sum(size_bytes), 0) from raw_mails where workspace_id = ${workspaceId}
      ) + (
        select coalesce(sum(a.size_bytes), 0)
        from attachments a
        left join raw_mails r on r.workspace_id = ${workspaceId} and r.message_id = a.message_id
        where a.workspace_id = ${workspaceId} and r.id is null
      ) + (
        select coalesce(sum(octet_length(m.body) + coalesce(octet_length(m.body_html), 0)), 0)
        from messages m
        left join raw_mails r on r.workspace_id = ${workspaceId} and r.message_id = m.id
        where m.workspace_id = ${workspaceId} and r.id is null
      )
    where workspace_id = ${workspaceId}
    returning used_bytes as used`);
  return used;
}

/** Gives back what deleted uploads held; a workspace that is not counted has no row. */
export async function giveBackStorage(
  tx: Tx,
  deleted: readonly { workspaceId: WorkspaceId; sizeBytes: number }[],
): Promise<void> {
  if (deleted.length === 0) return;
  await tx.run(sql`
    update workspace_storage s set used_bytes = s.used_bytes - d.bytes
    from (
      select workspace_id, sum(size_bytes)::bigint as bytes
      from unnest(${deleted.map(({ workspaceId }) => workspaceId)}::uuid[], ${deleted.map(({ sizeBytes }) => sizeBytes)}::bigint[])
        d (workspace_id, size_bytes)
      group by workspace_id
    ) d
    where s.workspace_id = d.workspace_id`);
}

/** Without a limit nothing is counted: what was is wrong once there is a limit again. */
export const forgetStorage: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from workspace_storage
    where workspace_id in (select workspace_id from workspace_storage limit ${rowsMax})`);

/** Has what a workspace keeps counted anew where a limit next asks, after much of it was deleted. */
export async function recountStorage(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`delete from workspace_storage where workspace_id = ${workspaceId}`);
}
