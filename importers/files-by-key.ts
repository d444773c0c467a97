import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Files whose name begins with the id of their attachment, or that are in a folder of that name. */
export async function filesByKey(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const [, key] = /^(\d+)(?:$|[-_./\\])/.exec(name) ?? [];
    // The file of a folder comes after the folder itself.
    if (key !== undefined) found.set(key, join(folder, name));
  }
  return found;
}
