import { type Db, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { newId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { addToCount, countOf, giveBackStorage, takeStorage } from './storage-quota.ts';

/** Room in a workspace's storage for bytes that are about to be received. Disposing of it gives back what is unused. */
export type Reservation = AsyncDisposable & {
  /** How many bytes may be received. */
  bytesMax: number;
  /** The error for more bytes: the workspace is full, or the caller wanted too little. */
  beyond(): AppError;
  /** Counts the bytes instead of the room, in the transaction that writes their rows. */
  settle(tx: Tx, bytes: number): Promise<void>;
  /** From here on the store may have the bytes. Without `done`, they stay counted until the sweep has removed them. */
  store(bytes: number): void;
  /** The bytes have their row, or are not in the store. */
  done(): void;
};

export type Wanted = {
  kind: 'upload' | 'import' | 'image';
  /** The most bytes that will be received. */
  bytes: number;
  /** The fewest bytes that will be received. */
  bytesMin: number;
};

/** After a crash, room is free again after this time. */
const leaseSeconds = 60;
const renewalMs = 20_000;
/** Longer than the sweep waits before it removes a blob that no row names. */
const leftSeconds = 25 * 3_600;
/** The second may be the repeat of the first. */
const importsMax = 2;

/**
 * Takes room before bytes are received, so that concurrent uploads together stay within the limit. Takes less than
 * wanted if there is less. Throws 413 `workspace.storage_full`, and 409 `import.running` if too many imports are being
 * received.
 */
export async function reserveStorage(db: Db, workspaceId: WorkspaceId, wanted: Wanted): Promise<Reservation> {
  const { storageBytesMax: bytesMax } = db.settings;
  if (bytesMax === 0 && wanted.kind !== 'import') return unlimited(wanted.bytes);
  const id = newId();
  const granted = await db.tx((tx) => takeReservation(tx, workspaceId, { ...wanted, id }));
  const timer = setInterval(() => void renew(db, workspaceId, id).catch(() => {}), renewalMs);
  let stored: number | undefined;
  return {
    bytesMax: granted,
    beyond: () => (granted < wanted.bytes ? storageFull(bytesMax) : tooLarge()),
    settle: async (tx, bytes) => {
      const row = await tx.maybe<{ bytes: number }>(sql`
        delete from storage_reservations where workspace_id = ${workspaceId} and id = ${id} returning bytes`);
      if (bytesMax === 0) return;
      if (row === undefined) takeStorage(tx, workspaceId, bytes);
      else await addToCount(tx, workspaceId, bytes - row.bytes);
    },
    store: (bytes) => {
      stored = bytes;
    },
    done: () => {
      stored = undefined;
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await db.tx((tx) => (stored === undefined ? end(tx, workspaceId, id) : leave(tx, { workspaceId, id, stored })));
    },
  };
}

const storageFull = (max: number) => new AppError('workspace.storage_full', { max });
const tooLarge = () => new AppError('request.too_large');

function unlimited(bytes: number): Reservation {
  const nothing = async () => {};
  return {
    bytesMax: bytes,
    beyond: tooLarge,
    settle: nothing,
    store: () => {},
    done: () => {},
    [Symbol.asyncDispose]: nothing,
  };
}

async function takeReservation(
  tx: Tx,
  workspaceId: WorkspaceId,
  { id, kind, bytes, bytesMin }: Wanted & { id: string },
) {
  const { storageBytesMax: bytesMax } = tx.settings;
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`reservations ${workspaceId}`}, 0))`);
  const ended = await tx.rows<{ bytes: number }>(sql`
    delete from storage_reservations where workspace_id = ${workspaceId} and ends_at < now() returning bytes`);
  await giveBackStorage(
    tx,
    ended.map((row) => ({ workspaceId, sizeBytes: row.bytes })),
  );
  if (kind === 'import') await refuseManyImports(tx, workspaceId);
  const left = bytesMax === 0 ? bytes : bytesMax - (await countOf(tx, workspaceId));
  if (left <= 0 || left < bytesMin) throw storageFull(bytesMax);
  const granted = Math.min(bytes, left);
  const counted = bytesMax === 0 ? 0 : granted;
  await tx.run(sql`
    insert into storage_reservations (workspace_id, id, kind, bytes, ends_at)
    values (${workspaceId}, ${id}, ${kind}, ${counted}, now() + make_interval(secs => ${leaseSeconds}))`);
  if (counted > 0) await addToCount(tx, workspaceId, counted);
  return granted;
}

async function refuseManyImports(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) from storage_reservations where workspace_id = ${workspaceId} and kind = 'import'`);
  if (count >= importsMax) throw new AppError('import.running');
}

async function renew(db: Db, workspaceId: WorkspaceId, id: string): Promise<void> {
  await db.tx((tx) =>
    tx.run(sql`
      update storage_reservations set ends_at = now() + make_interval(secs => ${leaseSeconds})
      where workspace_id = ${workspaceId} and id = ${id}`),
  );
}

async function end(tx: Tx, workspaceId: WorkspaceId, id: string): Promise<void> {
  const ended = await tx.rows<{ bytes: number }>(sql`
    delete from storage_reservations where workspace_id = ${workspaceId} and id = ${id} returning bytes`);
  await giveBackStorage(
    tx,
    ended.map(({ bytes }) => ({ workspaceId, sizeBytes: bytes })),
  );
}

type Left = { workspaceId: WorkspaceId; id: string; stored: number };

async function leave(tx: Tx, { workspaceId, id, stored }: Left): Promise<void> {
  const row = await tx.maybe<{ bytes: number }>(sql`
    select bytes from storage_reservations where workspace_id = ${workspaceId} and id = ${id} for update`);
  if (row === undefined) return;
  await together([
    tx.run(sql`
      update storage_reservations
      set kind = 'left', bytes = ${stored}, ends_at = now() + make_interval(secs => ${leftSeconds})
      where workspace_id = ${workspaceId} and id = ${id}`),
    addToCount(tx, workspaceId, stored - row.bytes),
  ]);
}

/** Gives back the room of processes that ended, and of bytes that the sweep has removed. */
export const sweepReservations: Sweep = async (tx, rowsMax) => {
  const ended = await tx.rows<{ workspaceId: WorkspaceId; sizeBytes: number }>(sql`
    delete from storage_reservations
    where (workspace_id, id) in (
      select workspace_id, id from storage_reservations where ends_at < now() limit ${rowsMax})
    returning workspace_id as "workspaceId", bytes as "sizeBytes"`);
  await giveBackStorage(tx, ended);
  return ended.length;
};
