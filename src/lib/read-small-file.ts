import { lstat, readFile } from 'node:fs/promises';

/** Many times the size of a manifest. */
const bytesMax = 64 * 1024 ** 2;

/**
 * The text of a small file in a folder that others wrote. Empty for a file that is missing, large, or no plain file: a
 * link may lead to a device, which has no end.
 */
export async function readSmallFile(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > bytesMax) return '';
  return readFile(path, 'utf8').catch(() => '');
}
