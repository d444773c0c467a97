import { lstat, readFile } from 'node:fs/promises';
import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';

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

/** @returns undefined for a file whose text does not fit the schema */
export async function readSmallJson<Schema extends TSchema>(
  path: string,
  schema: Schema,
): Promise<Static<Schema> | undefined> {
  try {
    const value: unknown = JSON.parse(await readSmallFile(path));
    return Check(schema, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
