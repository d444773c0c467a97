import type { Blobs } from '../../ground/blobs/blobs.ts';
import { sinceBaseline } from '../../ground/database/baseline.ts';
import { loadTables, requireEmpty } from '../../ground/database/load-tables.ts';
import { migrate, readMigrations } from '../../ground/database/migrate.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import type { Logger } from '../../ground/platform/log.ts';
import type { BackupFolder, Point } from './backup-folder.ts';
import { blobPath, copyBlob, forEachBlob, readBlobNames } from './copy-blobs.ts';
import { readPart } from './parts.ts';

/**
 * Throws a `StartError` if the database cannot take the point: it is in use or of a later state, or the point is of a
 * later release, or from before the baseline. Changes nothing.
 */
export async function requireRestorable(point: Point, databaseUrl: string): Promise<void> {
  const known = (await readMigrations()).map(({ name }) => name);
  await requireEmpty(databaseUrl, await knownMigrations(point), known);
}

/**
 * The migrations of a point, as this release names them.
 * Throws a `StartError` if the point is of a later release, or from before the baseline.
 */
export async function knownMigrations({ manifest }: Point): Promise<string[]> {
  const known = (await readMigrations()).map(({ name }) => name);
  const migrations = sinceBaseline(manifest.migrations, known, 'The backup');
  const unknown = migrations.find((name) => !known.includes(name));
  if (unknown === undefined) return migrations;
  throw new StartError(`The backup is of a later release of Kontor, which has the migration ${unknown}.`);
}

/**
 * Loads the tables of a point into an empty database, in one transaction. A restored database is on hold until
 * `go-live`.
 * @param finish further statements that belong to the same commit
 * Throws a `StartError` if `requireRestorable` does, or a part is damaged.
 */
export async function restoreTables(
  point: Point,
  databaseUrl: string,
  log: Logger,
  finish: readonly string[] = [],
): Promise<void> {
  await requireRestorable(point, databaseUrl);
  const { tables, sequences, takenAt } = point.manifest;
  await migrate(databaseUrl, log, (await knownMigrations(point)).at(-1));
  await loadTables(databaseUrl, {
    tables,
    sequences,
    read: ({ part }) => readPart(point.path, part),
    finish: [`insert into restores (taken_at) values ('${new Date(takenAt).toISOString()}')`, ...finish],
  });
}

/** Copies the files of a point into the storage. Files that are there already stay. @returns their number */
export async function restoreBlobs(folder: BackupFolder, { path, manifest }: Point, blobs: Blobs): Promise<number> {
  const missing = new Set(manifest.blobs.missing);
  let files = 0;
  await forEachBlob(readBlobNames(readPart(path, manifest.blobs.part)), async (blob) => {
    if (missing.has(blobPath(blob))) return;
    const outcome = await copyBlob(folder.blobs, blobs, blob);
    if (outcome === 'missing' || outcome === 'damaged')
      throw new StartError(`blobs/${blobPath(blob)} of the backup is ${outcome}.`);
    files++;
  });
  return files;
}
