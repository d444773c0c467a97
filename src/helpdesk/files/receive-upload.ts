import type { FastifyRequest } from 'fastify';
import type { Blobs } from '../../ground/blobs/blobs.ts';
import type { Db } from '../../ground/database/db.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { Config } from '../../ground/settings/config.ts';
import { keepUpload } from './keep-upload.ts';
import { readUpload, type Upload } from './read-upload.ts';
import { type Reservation, reserveStorage } from './reserve-storage.ts';

type UploadParts = { db: Db; blobs: Blobs; config: Pick<Config, 'attachmentBytesMax'> };

type Receiving = {
  workspaceId: WorkspaceId;
  /** Throws to refuse the file before anything of it is read. */
  check?(): Promise<void>;
  /** Writes the rows of the stored file. Settles the room in the same transaction. */
  write(upload: Upload, room: Reservation): Promise<void>;
};

/** Takes room for the file of a form, reads and stores the file, and has its rows written. */
export async function receiveUpload(
  { db, blobs, config }: UploadParts,
  request: FastifyRequest,
  { workspaceId, check, write }: Receiving,
): Promise<void> {
  await using held = new AsyncDisposableStack();
  let room: Reservation | undefined;
  const upload = await readUpload(request, {
    blobs,
    bytesMax: config.attachmentBytesMax,
    beforeReading: async (wanted) => {
      await check?.();
      room = held.use(await reserveStorage(db, workspaceId, { kind: 'upload', ...wanted }));
      return room;
    },
  });
  held.use(upload.bytes);
  if (room === undefined) throw new Error('an upload was read without room');
  room.store(upload.bytes.sizeBytes);
  await keepUpload({ db, blobs }, workspaceId, upload);
  await write(upload, room);
  // A repeat with the same idempotency key has written nothing, but its first has.
  room.done();
}
