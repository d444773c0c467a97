import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Blobs } from '../../ground/blobs/blobs.ts';
import { sinceBaseline } from '../../ground/database/baseline.ts';
import { type Dump, openDump } from '../../ground/database/dump-tables.ts';
import { readMigrations } from '../../ground/database/migrate.ts';
import { openDb } from '../../ground/database/open-db.ts';
import { systemClock } from '../../ground/lib/clock.ts';
import { writeWhole } from '../../ground/lib/durable-file.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import {
  type BackupFolder,
  beginPoint,
  finishPoint,
  listPoints,
  openPoint,
  readManifest,
  removeBlobs,
  removePoint,
} from './backup-folder.ts';
import { type BlobName, blobNamesQuery, blobPath, copyBlob, forEachBlob, readBlobNames } from './copy-blobs.ts';
import { findHold } from './go-live.ts';
import { type Manifest, newManifest } from './manifest.ts';
import { readPart, writePart, writeSmallPart } from './parts.ts';

export type BackupSource = { databaseUrl: string; blobs: Blobs; sealedSecrets: Uint8Array | undefined };

export type BackupProgress = { tables: number; rows: number; filesCopied: number; filesThere: number };

export type Backup = BackupProgress & { name: string; installation: string; takenAt: string; missing: string[] };

/**
 * Writes a new point into the folder while the service runs. All tables are of one moment. Files that an earlier point
 * has are not copied again. A crash leaves the earlier points as they are.
 */
export async function writeBackup(
  folder: BackupFolder,
  source: BackupSource,
  onProgress: (progress: BackupProgress) => void = () => {},
): Promise<Backup> {
  const progress: BackupProgress = { tables: 0, rows: 0, filesCopied: 0, filesThere: 0 };
  const note = (change: Partial<BackupProgress>) => onProgress(Object.assign(progress, change));
  const { path, dumped } = await writeTables(folder, source, (rows) =>
    note({ tables: progress.tables + 1, rows: progress.rows + rows }),
  );
  // The snapshot has ended, so that copying files for hours does not keep the database from vacuum.
  const lost: BlobName[] = [];
  await forEachBlob(readBlobNames(readPart(path, dumped.blobs.part)), async (blob) => {
    const outcome = await copyBlob(source.blobs, folder.blobs, blob);
    if (outcome === 'copied') note({ filesCopied: progress.filesCopied + 1 });
    else if (outcome === 'there') note({ filesThere: progress.filesThere + 1 });
    else lost.push(blob);
  });
  const missing = await stillNamed(source.databaseUrl, lost);
  const secrets =
    source.sealedSecrets === undefined ? null : await writeSmallPart(path, 'secrets.age', source.sealedSecrets);
  const manifest = newManifest({ ...dumped, secrets, blobs: { ...dumped.blobs, missing } });
  await writeWhole(join(path, 'manifest.json'), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), { mode: 0o600 });
  const { installation, takenAt } = dumped;
  return { ...progress, name: await finishPoint(folder, path), installation, takenAt, missing };
}

type Dumped = Omit<Manifest, 'format' | 'secrets'> & { installation: string };

async function writeTables(
  folder: BackupFolder,
  { databaseUrl }: BackupSource,
  onTable: (rows: number) => void,
): Promise<{ path: string; dumped: Dumped }> {
  await using dump = await openDump(databaseUrl);
  const migrations = await requireThisRelease(dump);
  await refuseHeldCopy(databaseUrl);
  const installation = await dump.readInstallation();
  await refuseOtherInstallation(folder, installation);
  const path = await beginPoint(folder, dump.takenAt);
  const tables: Manifest['tables'] = [];
  for (const table of dump.tables) {
    const rows = dump.copyTable(table);
    const part = await writePart(path, `tables/${table.schema}.${table.name}.zst`, rows.bytes);
    tables.push({ ...table, rows: rows.count(), part });
    onTable(rows.count());
  }
  const names = dump.copyQuery(blobNamesQuery);
  const part = await writePart(path, 'blobs.zst', names.bytes);
  const { takenAt } = dump;
  const sequences = await dump.readSequences();
  const blobs = { count: names.count(), missing: [], part };
  const release = packageJson.version;
  return {
    path,
    dumped: { installation, takenAt: takenAt.toISOString(), release, migrations, tables, sequences, blobs },
  };
}

/** @returns the migrations of this release, which all ran */
async function requireThisRelease({ migrations }: Dump): Promise<string[]> {
  const wanted = (await readMigrations()).map(({ name }) => name);
  if (sinceBaseline(migrations, wanted, 'The database').join() === wanted.join()) return wanted;
  throw new StartError(
    'The database is of another release of Kontor: back it up with that release, or run `migrate` with this one first.',
  );
}

/** Until `go-live` says whether it moved or is a second one, a copy has the id of its original. */
async function refuseHeldCopy(url: string): Promise<void> {
  const db = openDb({ url, clock: systemClock, poolSize: 1, onIdleError: () => {} });
  const takenAt = await findHold(db).finally(() => db.close());
  if (takenAt === undefined) return;
  throw new StartError(
    `This is the copy of a backup of ${takenAt}, on hold, and has nothing that this backup lacks: ` +
      'run `go-live` first.',
  );
}

/** Who backs up the wrong data folder must not mix its backups with those of the right one. */
async function refuseOtherInstallation(folder: BackupFolder, installation: string): Promise<void> {
  for (const name of await listPoints(folder)) {
    // One that is damaged must not keep others from being made.
    const theirs = await readManifest(folder, name).then(
      (manifest) => manifest.installation,
      () => undefined,
    );
    if (theirs !== undefined && theirs !== installation)
      throw new StartError(
        `${folder.name} has backups of another installation of Kontor, such as ${name}: ` +
          'check DATA_DIR and DATABASE_URL, or name another folder. A restored copy needs one too, unless `go-live` ' +
          'got --moved.',
      );
  }
}

/** Leaves out files that were deleted with their rows since the snapshot. */
async function stillNamed(databaseUrl: string, lost: readonly BlobName[]): Promise<string[]> {
  if (lost.length === 0) return [];
  const named = new Set<string>();
  await using dump: Dump = await openDump(databaseUrl);
  for await (const blob of readBlobNames(dump.copyQuery(blobNamesQuery).bytes)) named.add(blobPath(blob));
  return lost.map(blobPath).filter((path) => named.has(path));
}

/**
 * Deletes all but the newest points of an installation, and then the files that no point names. Deletes nothing if a
 * point that stays cannot be read.
 * @returns the number of deleted points, and of points that stay because they name no installation, or another one
 */
export async function forgetOldPoints(
  folder: BackupFolder,
  keep: number,
  installation: string,
): Promise<{ forgotten: number; others: number }> {
  const names = await listPoints(folder);
  const own: string[] = [];
  for (const name of names) if ((await readManifest(folder, name)).installation === installation) own.push(name);
  const old = new Set(own.slice(0, Math.max(own.length - keep, 0)));
  const kept = new Set<string>();
  for (const name of names.filter((each) => !old.has(each))) {
    const { path, manifest } = await openPoint(folder, name);
    for await (const blob of readBlobNames(readPart(path, manifest.blobs.part))) kept.add(blobPath(blob));
  }
  for (const name of old) await removePoint(folder, name);
  await removeBlobs(folder, (path) => kept.has(path));
  return { forgotten: old.size, others: names.length - own.length };
}
