import { audit } from '../../../access/audit/audit.ts';
import { lockWorkspace } from '../../../access/workspaces/lock-workspace.ts';
import type { Blobs } from '../../../ground/blobs/blobs.ts';
import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Db, Queryable, Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { newId, type WorkspaceId } from '../../../ground/lib/ids.ts';
import { holdLease, type LeaseKey, leaseEnded, takeLease } from '../../../ground/queue/lease.ts';
import type { Upload } from '../../../helpdesk/files/read-upload.ts';
import { giveBackStorage } from '../../../helpdesk/files/storage-quota.ts';
import type { ImportChoices } from '../raw-mails.ts';
import { getImport } from './queries.ts';
import type { Import } from './schema.ts';

type ImportStores = { db: Db; blobs: Blobs };

/** The name of an uploaded file in the store. No blob has such a name. */
export const storedName = (importId: string, position: number): string => `${importId}.${position}.import`;

/** Throws 409 while another import of the workspace is under way. */
export async function refuseSecond(db: Queryable, workspaceId: WorkspaceId): Promise<void> {
  const running = await db.maybe(sql`
    select from mail_imports where workspace_id = ${workspaceId} and state in ('running', 'stopping')`);
  if (running !== undefined) throw new AppError('import.running');
}

/**
 * Stores the files of an import, and has `begin` begin it. If that throws or does not begin it, the files go again. A
 * row names them before they are stored, so that a crash leaves no file behind.
 */
export async function keepImport(
  { db, blobs }: ImportStores,
  { workspaceId, userId }: Pick<Actor, 'workspaceId' | 'userId'>,
  { uploads, choices }: { uploads: readonly Upload[]; choices: ImportChoices },
  begin: (importId: string) => Promise<void>,
): Promise<void> {
  const key = { workspaceId, id: newId(), holder: newId() };
  await db.tx(async (tx) => {
    await tx.run(sql`
      insert into mail_imports (workspace_id, id, created_by, created_at, status, own_addresses, state, size_bytes)
      values (${workspaceId}, ${key.id}, ${userId}, ${tx.now}, ${choices.status}, ${choices.ownAddresses}, 'receiving',
        ${uploads.reduce((sum, { bytes }) => sum + bytes.sizeBytes, 0)})`);
    await takeLease(tx, 'import', key);
    await tx.run(sql`
      insert into mail_import_files (workspace_id, import_id, position, file_name, size_bytes)
      select ${workspaceId}::uuid, ${key.id}::uuid, f.position, f.file_name, f.size_bytes
      from unnest(${uploads.map((_, at) => at)}::integer[], ${uploads.map(({ fileName }) => fileName)}::text[],
        ${uploads.map(({ bytes }) => bytes.sizeBytes)}::bigint[]) f (position, file_name, size_bytes)`);
  });
  const lease = holdLease(db, 'import', key);
  try {
    for (const [at, { bytes }] of uploads.entries())
      await blobs.stored.keep(workspaceId, storedName(key.id, at), bytes);
    await begin(key.id);
  } finally {
    try {
      await clearAway({ db, blobs }, key);
    } finally {
      // Otherwise the lease would be renewed for as long as the process lives, and nothing would clear the upload away.
      await lease.end();
    }
  }
}

/**
 * Begins an import whose files are stored. Throws 409 while another is under way.
 * @param settle counts its bytes, last of all
 */
export async function beginImport(
  tx: Tx,
  actor: Actor,
  { id, settle }: { id: string; settle(bytes: number): Promise<void> | undefined },
): Promise<Import> {
  const { workspaceId } = actor;
  await lockWorkspace(tx, workspaceId);
  await refuseSecond(tx, workspaceId);
  const begun = await tx.maybe<{ size: number }>(sql`
    update mail_imports set state = 'running', ${leaseEnded('import')}
    where workspace_id = ${workspaceId} and id = ${id} and state = 'receiving'
    returning size_bytes as size`);
  // It took longer than a lease, and another process has cleared it away.
  if (begun === undefined) throw new AppError('unavailable');
  const started = await getImport(tx, workspaceId, id);
  const data = { files: started.fileCount, size: started.size };
  await audit(tx, actor, { type: 'import.started', subjectId: id, data });
  tx.touch(workspaceId);
  await settle(begun.size);
  return started;
}

/** The imported mails stay. An import that has ended stays as it is. */
export async function stopImport(tx: Tx, actor: Actor, id: string): Promise<Import> {
  const { workspaceId } = actor;
  const stopped = await tx.run(sql`
    update mail_imports set state = 'stopping'
    where workspace_id = ${workspaceId} and id = ${id} and state = 'running'`);
  if (stopped > 0) {
    await audit(tx, actor, { type: 'import.stopped', subjectId: id, data: {} });
    tx.touch(workspaceId);
  }
  return getImport(tx, workspaceId, id);
}

/** Deletes the files of an import that has ended, and of an upload that never became an import. May be repeated. */
export async function clearAway({ db, blobs }: ImportStores, { workspaceId, id }: LeaseKey): Promise<void> {
  const files = await db.rows<{ position: number }>(sql`
    select f.position
    from mail_imports i
    join mail_import_files f on f.workspace_id = ${workspaceId} and f.import_id = i.id
    where i.workspace_id = ${workspaceId} and i.id = ${id} and i.has_files and i.state not in ('running', 'stopping')`);
  if (files.length === 0) return;
  for (const { position } of files) await blobs.stored.remove(workspaceId, storedName(id, position));
  await db.tx(async (tx) => {
    const cleared = await tx.rows<{ sizeBytes: number }>(sql`
      update mail_imports set has_files = false
      where workspace_id = ${workspaceId} and id = ${id} and has_files and state in ('done', 'stopped', 'failed')
      returning size_bytes as "sizeBytes"`);
    await tx.run(sql`
      delete from mail_imports where workspace_id = ${workspaceId} and id = ${id} and state = 'receiving'`);
    await giveBackStorage(
      tx,
      cleared.map(({ sizeBytes }) => ({ workspaceId, sizeBytes })),
    );
  });
}
