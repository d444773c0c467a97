import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Blobs } from '../../ground/blobs/blobs.ts';
import { isUuid, type WorkspaceId } from '../../ground/lib/ids.ts';
import { StartError } from '../../ground/lib/start-error.ts';

/** The name of a blob as it is stored: its SHA-256, with `.gz` for raw mail. */
export type BlobName = { workspaceId: WorkspaceId; name: string };

const packedEnd = '.gz';
/** Several copies share the waits for the disk or the bucket. */
const atOnceMax = 16;

/** All files that rows name, in the form that `readBlobNames` reads. */
export const blobNamesQuery = `
  select workspace_id, sha256 from attachments
  union
  select workspace_id, sha256 from remote_images where sha256 is not null
  union
  select workspace_id, sha256 || '${packedEnd}' from raw_mails where erased_at is null
  order by 1, 2`;

/** Where disk storage keeps the blob, below its root. */
export function blobPath({ workspaceId, name }: BlobName): string {
  return `${workspaceId}/${name.slice(0, 2)}/${name}`;
}

/** Throws a `StartError` for a name that no backup writes. */
export async function* readBlobNames(list: Readable): AsyncGenerator<BlobName> {
  for await (const line of createInterface({ input: list, crlfDelay: Number.POSITIVE_INFINITY })) {
    const [workspaceId = '', name = ''] = line.split('\t');
    // They become paths.
    if (!isUuid(workspaceId) || !/^[0-9a-f]{64}(\.gz)?$/.test(name))
      throw new StartError(`The list of files names ${JSON.stringify(line.slice(0, 200))}, which is none of Kontor's.`);
    yield { workspaceId: workspaceId as WorkspaceId, name };
  }
}

/** Works on all names, several at once. */
export async function forEachBlob(
  names: AsyncIterable<BlobName>,
  work: (blob: BlobName) => Promise<void>,
): Promise<void> {
  await Readable.from(names).forEach(work, { concurrency: atOnceMax });
}

/** Copies a blob unless it is there. `damaged`: its bytes are not those of its name, and nothing is kept. */
export async function copyBlob(
  from: Blobs,
  to: Blobs,
  { workspaceId, name }: BlobName,
): Promise<'copied' | 'there' | 'missing' | 'damaged'> {
  if (await to.stored.has(workspaceId, name)) return 'there';
  const bytes = await from.stored.open(workspaceId, name);
  if (bytes === undefined) return 'missing';
  await using spooled = await to.spool(bytes);
  const sha256 = name.endsWith(packedEnd) ? await hashOf(createReadStream(spooled.path), name) : spooled.sha256;
  if (sha256 !== hashIn(name)) return 'damaged';
  await to.stored.keep(workspaceId, name, spooled);
  return 'copied';
}

/** Reads a blob and compares it with its name. */
export async function checkBlob(
  blobs: Blobs,
  { workspaceId, name }: BlobName,
): Promise<'whole' | 'missing' | 'damaged'> {
  const bytes = await blobs.stored.open(workspaceId, name);
  if (bytes === undefined) return 'missing';
  return (await hashOf(bytes, name)) === hashIn(name) ? 'whole' : 'damaged';
}

function hashIn(name: string): string {
  return name.endsWith(packedEnd) ? name.slice(0, -packedEnd.length) : name;
}

/** The hash of the content; undefined when gzip cannot read it. */
async function hashOf(stored: Readable, name: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  // `pipeline` passes a fault of the file on to the reader.
  const content = name.endsWith(packedEnd) ? pipeline(stored, createGunzip(), () => {}) : stored;
  try {
    for await (const chunk of content) hash.update(chunk);
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('Z_')) return undefined;
    throw error;
  }
  return hash.digest('hex');
}
