import { createHash } from 'node:crypto';
import { type Blobs, sha256Of } from '../../ground/blobs/blobs.ts';
import type { Db, Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import { noteLooseBlob } from './keep-upload.ts';
import { noteLooseBlobs } from './loose-blobs.ts';
import type { RemoteImages } from './remote-images.ts';
import { reserveStorage } from './reserve-storage.ts';
import { giveBackStorage, isStorageFull } from './storage-quota.ts';

type KeptImage = { sha256: string; contentType: string; sizeBytes: number };

const keptDays = 7;

/** How many fetches run at once, workspaces in turn: a fetch may take seconds and holds the picture in memory. */
const fetchedAtOnce = 12;

type Stores = { db: Db; blobs: Blobs; remoteImages: RemoteImages };

/**
 * Returns the stored picture, or fetches the picture and stores it for a week. Undefined if there is no picture, or no
 * room to store it. Concurrent requests for one picture share one fetch.
 */
export type KeptImages = (workspaceId: WorkspaceId, address: string) => Promise<KeptImage | undefined>;

export function openKeptImages(stores: Stores): KeptImages {
  const inTurn = inTurns(fetchedAtOnce);
  const underWay = new Map<string, Promise<KeptImage | undefined>>();
  return async (workspaceId, address) => {
    const addressKey = keyOf(address);
    const kept = await findKept(stores.db, workspaceId, addressKey);
    if (kept !== undefined) return kept;
    const key = `${workspaceId} ${addressKey}`;
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const fetching = inTurn(() => fetchImage(stores, { workspaceId, address, addressKey }), workspaceId);
    underWay.set(key, fetching);
    return fetching.finally(() => underWay.delete(key));
  };
}

type Wanted = { workspaceId: WorkspaceId; address: string; addressKey: string };

async function fetchImage(
  { db, blobs, remoteImages }: Stores,
  { workspaceId, address, addressKey }: Wanted,
): Promise<KeptImage | undefined> {
  // Another request or process may have fetched the picture while this request waited.
  const kept = await findKept(db, workspaceId, addressKey);
  if (kept !== undefined) return kept;
  if (await isStorageFull(db, workspaceId)) return undefined;
  const fetched = await remoteImages.fetch(address);
  if (fetched === undefined) return undefined;
  const { bytes, contentType } = fetched;
  const size = { bytes: bytes.length, bytesMin: bytes.length };
  await using room = await reserveStorage(db, workspaceId, { kind: 'image', ...size }).catch(noneWhenFull);
  if (room === undefined) return undefined;
  room.store(bytes.length);
  await noteLooseBlob(db, workspaceId, sha256Of(bytes));
  const image = { sha256: await blobs.put(workspaceId, bytes), contentType, sizeBytes: bytes.length };
  const keep = async (tx: Tx) => {
    const inserted = await tx.run(sql`
      insert into remote_images (workspace_id, address_key, sha256, content_type, size_bytes, fetched_at)
      values (${workspaceId}, ${addressKey}, ${image.sha256}, ${contentType}, ${image.sizeBytes}, ${tx.now})
      on conflict (workspace_id, address_key) do nothing`);
    if (inserted > 0) await room.settle(tx, image.sizeBytes);
  };
  await db.tx(keep);
  room.done();
  return image;
}

function noneWhenFull(error: unknown): undefined {
  if (error instanceof AppError && error.key === 'workspace.storage_full') return undefined;
  throw error;
}

function findKept(db: Queryable, workspaceId: WorkspaceId, addressKey: string): Promise<KeptImage | undefined> {
  return db.maybe(sql`
    select sha256, content_type as "contentType", size_bytes as "sizeBytes"
    from remote_images
    where workspace_id = ${workspaceId} and address_key = ${addressKey}`);
}

/**
 * Forgets the pictures of these addresses before their week is over. The sweep of loose blobs removes their bytes. The
 * caller counts the workspace's storage again.
 */
export async function forgetImages(tx: Tx, workspaceId: WorkspaceId, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  const forgotten = await tx.rows<{ sha256: string }>(sql`
    delete from remote_images
    where workspace_id = ${workspaceId} and address_key = any(${addresses.map(keyOf)}::text[])
    returning sha256`);
  await noteLooseBlobs(tx, workspaceId, forgotten);
}

function keyOf(address: string): string {
  return createHash('sha256').update(address).digest('hex');
}

/** Deletes the rows of pictures after a week. The sweep of loose blobs removes their bytes. */
export const sweepRemoteImages: Sweep = async (tx, rowsMax) => {
  const deleted = await tx.rows<{ workspaceId: WorkspaceId; sha256: string; sizeBytes: number }>(sql`
    delete from remote_images
    where (workspace_id, address_key) in (
      select workspace_id, address_key
      from remote_images
      where fetched_at < ${tx.now}::timestamptz - make_interval(days => ${keptDays})
      limit ${rowsMax})
    returning workspace_id as "workspaceId", sha256, size_bytes as "sizeBytes"`);
  await tx.run(sql`
    insert into loose_blobs (workspace_id, sha256, noted_at)
    select distinct d.workspace_id, d.sha256, ${tx.now}::timestamptz
    from unnest(${deleted.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${deleted.map(({ sha256 }) => sha256)}::text[]) d (workspace_id, sha256)
    on conflict (workspace_id, sha256) do nothing`);
  await giveBackStorage(tx, deleted);
  return deleted.length;
};
