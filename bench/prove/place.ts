import { loadavg } from 'node:os';
import { openApp } from '../../src/app.ts';
import { startEmbeddedPostgres } from '../../src/ground/embedded-postgres/embedded-postgres.ts';
import { openLog } from '../../src/ground/platform/log.ts';
import { readConfig } from '../../src/ground/settings/config.ts';
import type { House } from '../../test/harness/harness.ts';
import { temporaryFolder } from '../../test/harness/service-process.ts';
import { type Serving, startService } from '../house.ts';

/** Processes of the service on a database of their own, with access to that database. */
export type Place = {
  house: House;
  urls: readonly string[];
  /** Starts another process, with these settings. The caller stops it. */
  serviceOf(settings: Record<string, string>): Promise<Serving>;
};

/** Runs a proof at a place made for it alone, and prints the load of the machine. */
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
  const serviceOf = async (settings: Record<string, string> = {}) =>
    startService({ databaseUrl: postgres.url, folder: await openFolder(), authSecret, settings });
  const urls: string[] = [];
  while (urls.length < processes) {
    const service = await serviceOf();
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
  // The factories use only the app and the URL of a house.
  await prove({ house: { app, url: urls[0] } as House, urls, serviceOf });
  tellLoad('behind');
}

function tellLoad(when: string): void {
  console.log(`load of the machine ${when}: ${loadavg().map((load) => load.toFixed(1))}`);
}
