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

const reasons: Record<string, string> = {
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a file is in its place',
  // `mkdir` says this below a read-only mount.
  ENOENT: 'it cannot be made there',
  EACCES: 'its rights do not allow it',
  EPERM: 'its rights do not allow it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
};

/**
 * A secret that is generated once and kept in the data folder. Only the file's owner can read it.
 * Throws a `StartError` when the folder cannot be used, or when the secret is too short to be ours.
 */
export function keptSecret(dataDir: string, name: string): Uint8Array {
  const path = resolve(dataDir, name);
  let secret: Buffer;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (!existsSync(path)) placeSecret(path);
    secret = Buffer.from(readFileSync(path, 'utf8').trim());
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The data folder ${dataDir} cannot be used: ${reasons[code] ?? message}. ` +
        'Set DATA_DIR to a folder that this user may write.',
      { cause: error },
    );
  }
  if (secret.length >= secretBytesMin) return secret;
  throw new StartError(
    `The secret in ${path} is shorter than ${secretBytesMin} bytes: ` +
      'restore it from a backup, or remove the file to have a new secret made.',
  );
}

/**
 * Creates the file whole or not at all, even if the process is killed or the disk is full. If two processes start at
 * once, the first secret stays.
 */
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
    // Unlike a rename, a link fails when the file exists already.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
