import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFile } from './boundaries.ts';

export async function readSources(folder = 'src', ending = /\.ts$/): Promise<SourceFile[]> {
  const root = join(import.meta.dirname, '../..');
  const names = (await readdir(join(root, folder), { recursive: true })).filter((name) => ending.test(name));
  return Promise.all(
    names.map(async (name) => ({ path: `${folder}/${name}`, text: await readFile(join(root, folder, name), 'utf8') })),
  );
}
