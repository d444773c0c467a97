import { open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newId } from './ids.ts';

/**
 * Writes a file that is whole or absent, also after a power cut: aside, under a hidden name, then synced and renamed. It
 * lasts once its folder is synced too, which one who writes many does once for all.
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

/** Makes new names in a folder last; Windows has no such thing. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
