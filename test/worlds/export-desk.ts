import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { loadExport } from '../../src/operations/transfer/load-export.ts';
import type { Loaded, LoadOptions } from '../../src/operations/transfer/loading.ts';
import { writeExport } from '../../src/operations/transfer/write-export.ts';
import { buildHouse, type House, useHouse } from '../harness/harness.ts';
import { temporaryFolder } from '../harness/service-process.ts';
import type { Person } from './factories.ts';
import { fillWorkspace } from './whole-workspace.ts';

/** A service with the export of a whole workspace, and a second empty service for each test to import it. */
export async function useExportDesk() {
  const house = useHouse();
  const place = await temporaryFolder();
  const desk = {
    house,
    owner: undefined as unknown as Person,
    /** The folder of the export. */
    folder: '',
    target: undefined as unknown as Awaited<ReturnType<typeof buildHouse>>,
    exportOf: async ({ databaseUrl, app }: House, name: string): Promise<string> => {
      const path = join(place.path, name);
      await writeExport(path, { databaseUrl, blobs: app.blobs, workspaceId: desk.owner.workspaceId });
      return path;
    },
    load: (path: string, options: Partial<LoadOptions> = {}): Promise<Loaded> =>
      loadExport(desk.target.app, path, {
        workspaceId: undefined,
        getsNewNumbers: false,
        signal: new AbortController().signal,
        onProgress: () => {},
        ...options,
      }),
    copyOf: async (change: (path: string) => Promise<unknown>): Promise<string> => {
      const path = join(place.path, `copy-${Math.random()}`);
      await cp(desk.folder, path, { recursive: true });
      await change(path);
      return path;
    },
  };
  beforeAll(async () => {
    desk.owner = await fillWorkspace(house);
    desk.folder = await desk.exportOf(house, 'original');
  });
  afterAll(place.remove);
  beforeEach(async () => {
    desk.target = await buildHouse();
    return () => desk.target.close();
  });
  return desk;
}

/** The bytes of each file in the folder, by its path there. */
export async function bytesOf(folder: string): Promise<Record<string, string>> {
  const bytes: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const at = join(entry.parentPath, entry.name);
      bytes[at.slice(folder.length + 1)] = await readFile(at, 'latin1');
    }
  return bytes;
}
