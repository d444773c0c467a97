import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { StartError } from '../lib/start-error.ts';

export const secretBytesMin = 32;

/**
 * A secret that is made once and kept in the data folder, readable by its owner alone.
 * Throws a `StartError` when the folder cannot be used, or holds one that is too short to be ours.
 */
export function keptSecret(dataDir: string, name: string): Uint8Array {
  const path = resolve(dataDir, name);
  let secret: Buffer;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (!existsSync(path)) placeSecret(path);
    secret = Buffer.from(readFileSync(path, 'utf8').trim());
  } catch (error) {
    throw new StartError(
      `The data folder ${dataDir} cannot be used: ${(error as Error).message}. Set DATA_DIR to a folder that this user may write.`,
    );
  }
  if (secret.length >= secretBytesMin) return secret;
  throw new StartError(
    `The secret in ${path} is shorter than ${secretBytesMin} bytes: put it back from a backup, or remove the file, and a new one is made.`,
  );
}

/** It appears whole or not at all, also when we are killed or the disk is full; of two processes at once the first one's stays. */
function placeSecret(path: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, randomBytes(32).toString('base64url'));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // Unlike a rename it fails where there is one already.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
