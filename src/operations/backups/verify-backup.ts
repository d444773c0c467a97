import type { BackupFolder, Point } from './backup-folder.ts';
import { blobPath, checkBlob, forEachBlob, readBlobNames } from './copy-blobs.ts';
import { faultOfPart, readPart } from './parts.ts';

export type Verified = { tables: number; files: number; faults: string[] };

/** Enough to see the kind of damage. */
const faultsMax = 20;

/**
 * Reads every byte of a point and compares it with its hash.
 * @returns a sentence for each fault, at most `faultsMax`
 */
export async function verifyPoint({ blobs }: BackupFolder, { path, manifest }: Point): Promise<Verified> {
  const verified: Verified = { tables: 0, files: 0, faults: [] };
  const note = (fault: string | undefined) => {
    if (fault !== undefined && verified.faults.length < faultsMax) verified.faults.push(fault);
  };
  for (const { part } of manifest.tables) {
    note(await faultOfPart(path, part));
    verified.tables++;
  }
  if (manifest.secrets !== null) note(await faultOfPart(path, manifest.secrets));
  const listFault = await faultOfPart(path, manifest.blobs.part);
  note(listFault);
  // The names of a damaged list are not to be trusted.
  if (listFault !== undefined) return verified;
  const known = new Set(manifest.blobs.missing);
  await forEachBlob(readBlobNames(readPart(path, manifest.blobs.part)), async (blob) => {
    const outcome = await checkBlob(blobs, blob);
    verified.files++;
    const isKnown = outcome === 'missing' && known.has(blobPath(blob));
    if (outcome !== 'whole' && !isKnown) note(`blobs/${blobPath(blob)} is ${outcome}`);
  });
  return verified;
}
