import { createHash } from 'node:crypto';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Blobs } from '../platform/blobs.ts';
import type { Db, Queryable } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Sweep } from '../platform/sweep.ts';
import type { RemoteImages } from './remote-images.ts';

export type KeptImage = { sha256: string; contentType: string; sizeBytes: number };

const keptDays = 7;

/** The picture as it was fetched within a week, else as it is now; undefined where there is none. */
export async function keptImage(
  { db, blobs, remoteImages }: { db: Db; blobs: Blobs; remoteImages: RemoteImages },
  workspaceId: WorkspaceId,
  address: string,
): Promise<KeptImage | undefined> {
  const addressKey = createHash('sha256').update(address).digest('hex');
  const kept = await findKept(db, workspaceId, addressKey);
  if (kept !== undefined) return kept;
  const fetched = await remoteImages.fetch(address);
  if (fetched === undefined) return undefined;
  const { bytes, contentType } = fetched;
  // The bytes before the row that names them.
  const image = { sha256: await blobs.put(workspaceId, bytes), contentType, sizeBytes: bytes.length };
  await db.tx((tx) =>
    tx.run(sql`
      insert into remote_images (workspace_id, address_key, sha256, content_type, size_bytes, fetched_at)
      values (${workspaceId}, ${addressKey}, ${image.sha256}, ${contentType}, ${image.sizeBytes}, ${tx.now})
      on conflict (workspace_id, address_key) do update
      set sha256 = excluded.sha256, content_type = excluded.content_type, size_bytes = excluded.size_bytes,
        fetched_at = excluded.fetched_at`),
  );
  return image;
}

function findKept(db: Queryable, workspaceId: WorkspaceId, addressKey: string): Promise<KeptImage | undefined> {
  return db.maybe(sql`
    select sha256, content_type as "contentType", size_bytes as "sizeBytes"
    from remote_images
    where workspace_id = ${workspaceId} and address_key = ${addressKey}`);
}

/** Forgets pictures after their week. Their bytes go with those that nothing names. */
export const sweepRemoteImages: Sweep = async (tx, rowsMax) => {
  const deleted = await tx.rows<{ workspaceId: WorkspaceId; sha256: string }>(sql`
    delete from remote_images
    where (workspace_id, address_key) in (
      select workspace_id, address_key
      from remote_images
      where fetched_at < ${tx.now}::timestamptz - make_interval(days => ${keptDays})
      limit ${rowsMax})
    returning workspace_id as "workspaceId", sha256`);
  await tx.run(sql`
    insert into loose_blobs (workspace_id, sha256, noted_at)
    select distinct d.workspace_id, d.sha256, ${tx.now}::timestamptz
    from unnest(${deleted.map(({ workspaceId }) => workspaceId)}::uuid[], ${deleted.map(({ sha256 }) => sha256)}::text[])
      d (workspace_id, sha256)
    on conflict (workspace_id, sha256) do nothing`);
  return deleted.length;
};
