import { loadavg } from 'node:os';
import { openApp } from '../../src/app.ts';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { openLog } from '../../src/platform/log.ts';
import { readConfig } from '../../src/settings/config.ts';
import type { House } from '../../test/harness.ts';
import { temporaryFolder } from '../../test/service-process.ts';
import { startService } from '../house.ts';

/** Processes of the service on one database of their own, and a view of that database from here. */
export type Place = { house: House; urls: readonly string[] };

/** Proves something at a place that is there for that alone, and tells how busy the machine was. */
export async function proveAt(processes: number, prove: (place: Place) => Promise<void>): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const openFolder = async (): Promise<string> => {
    const folder = await temporaryFolder();
    opened.defer(() => folder.remove());
    return folder.path;
  };
  tellLoad('before');
  const log = openLog('warn');
  const databaseFolder = await openFolder();
  const postgres = await startEmbeddedPostgres({ dataDir: databaseFolder, log });
  opened.defer(() => postgres.stop());
  const authSecret = 'x'.repeat(64);
  const urls: string[] = [];
  while (urls.length < processes) {
    const service = await startService({ databaseUrl: postgres.url, folder: await openFolder(), authSecret });
    opened.defer(() => service.stop());
    urls.push(service.url);
  }
  const config = readConfig({
    DATA_DIR: databaseFolder,
    DATABASE_URL: postgres.url,
    AUTH_SECRET: authSecret,
    ENCRYPTION_KEY: authSecret,
  });
  const app = openApp({ config, log, databaseUrl: postgres.url });
  opened.defer(() => app.close());
  // Of a house the factories need its app and its address.
  await prove({ house: { app, url: urls[0] } as House, urls });
  tellLoad('behind');
}

function tellLoad(when: string): void {
  console.log(`load of the machine ${when}: ${loadavg().map((load) => load.toFixed(1))}`);
}
