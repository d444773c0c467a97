import { open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newId } from './ids.ts';

/**
 * Writes a file that is whole or absent, even after a power cut: writes a hidden draft, syncs it, then renames it.
 * The new name lasts only after `syncFolder`. A caller that writes many files syncs their folder once.
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { mode }: { mode: number },
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${newId()}`);
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
}

/** Makes new file names in a folder survive a power cut. Windows cannot sync a folder. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
