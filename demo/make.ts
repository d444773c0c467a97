import { readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../src/app.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabaseServer } from '../src/embedded-postgres/database-server.ts';
import { StartError } from '../src/lib/start-error.ts';
import { openLog } from '../src/platform/log.ts';
import { buildServer } from '../src/server.ts';
import type { Config } from '../src/settings/config.ts';
import { demoClock, openOffice } from './office.ts';
import { tell } from './tell.ts';
import { orders } from './texts/orders.ts';
import { questions } from './texts/questions.ts';
import { workshop } from './texts/workshop.ts';

/** Lies in a data folder that the demo made, and tells that it is whole. */
const markName = 'demo.json';
const dayMs = 24 * 3_600_000;

/**
 * Makes the demo's data folder, unless it is there. Everything is made in a folder beside it and renamed at the end, so
 * that a demo is whole or not there at all.
 * @param stop ends it early, with nothing made
 * Throws a `StartError` when the folder holds something else.
 */
export async function makeOnce(
  dataDir: string,
  configFor: (dataDir: string) => Config,
  stop: AbortSignal,
): Promise<'made' | 'found'> {
  const names = await readdir(dataDir).catch((): string[] => []);
  if (names.includes(markName)) return 'found';
  if (names.length > 0) {
    throw new StartError(`The folder ${dataDir} holds something other than the demo: set DATA_DIR to an empty one.`);
  }
  const making = `${dataDir}.making`;
  await rm(making, { recursive: true, force: true });
  await make(configFor(making), stop);
  await rmdir(dataDir).catch(() => {});
  await rename(making, dataDir);
  return 'made';
}

async function make(config: Config, stop: AbortSignal): Promise<void> {
  const log = openLog('warn');
  const now = new Date();
  await using house = new AsyncDisposableStack();
  const database = await openDatabaseServer(config, log);
  house.defer(database.stop);
  await migrate(database.directUrl, log);
  const clock = demoClock(new Date(now.getTime() - 30 * dayMs));
  const app = openApp({ config, log, databaseUrl: database.url, clock });
  house.defer(app.close);
  const server = await buildServer(app);
  house.defer(() => server.close());
  const office = await openOffice(app, server);
  await tell(app, office, clock, [...orders, ...questions, ...workshop], { now, stop });
  await writeFile(join(config.dataDir, markName), `${JSON.stringify({ madeAt: now })}\n`);
}
