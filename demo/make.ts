import { readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../src/app.ts';
import { migrate } from '../src/ground/database/migrate.ts';
import { openDatabaseServer } from '../src/ground/embedded-postgres/database-server.ts';
import { StartError } from '../src/ground/lib/start-error.ts';
import { openLog } from '../src/ground/platform/log.ts';
import type { Config } from '../src/ground/settings/config.ts';
import { buildServer } from '../src/server.ts';
import { demoClock, type Office, openOffice } from './office.ts';
import { openPostOffice } from './post-office.ts';
import { tell } from './tell.ts';
import { orders } from './texts/orders.ts';
import { questions } from './texts/questions.ts';
import { replies } from './texts/replies.ts';
import { workshop } from './texts/workshop.ts';

/** This file marks a complete data folder of the demo. */
const markName = 'demo.json';
const dayMs = 24 * 3_600_000;

/**
 * Makes the demo's data folder unless it exists. It makes everything in a folder beside it, and renames that folder at
 * the end. So the demo is complete or missing.
 * @param stop ends the work early and leaves nothing
 * Throws a `StartError` if the folder holds something else.
 */
export async function makeOnce(
  dataDir: string,
  configFor: (dataDir: string) => Config,
  stop: AbortSignal,
): Promise<'made' | 'found'> {
  const names = await readdir(dataDir).catch((): string[] => []);
  if (names.includes(markName)) return 'found';
  if (names.length > 0) {
    throw new StartError(`The folder ${dataDir} holds something other than the demo: set DATA_DIR to an empty folder.`);
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
  const postOffice = await openPostOffice(join(config.dataDir, 'outbox'));
  house.defer(postOffice.close);
  const app = openApp({
    config: { ...config, mail: { kind: 'smtp', url: postOffice.url } },
    log,
    databaseUrl: database.url,
    clock,
  });
  house.defer(app.close);
  const server = await buildServer(app);
  house.defer(() => server.close());
  const office = await openOffice(app, server);
  for (const reply of replies) await office.as('ines', 'POST', '/saved-replies', { ...reply, isShared: true });
  await tell(app, office, clock, [...orders, ...questions, ...workshop], { now, stop });
  await shareOut(office);
  await writeFile(join(config.dataDir, markName), `${JSON.stringify({ madeAt: now })}\n`);
}

/** Two teams and their tickets: one shares out work, the other keeps its tickets to itself. */
async function shareOut(office: Office): Promise<void> {
  const { maya, tomasz, hana, ines } = office.userIds;
  const teams = [
    { name: 'Workshop', memberIds: [tomasz, hana], about: 'brake or motor or tyres' },
    { name: 'Billing', memberIds: [ines, maya], about: 'PO-7719', visibility: 'members' },
  ];
  for (const { about, ...team } of teams) {
    const { id: teamId } = await office.as<{ id: string }>('ines', 'POST', '/teams', team);
    const search = new URLSearchParams({ search: about, status: 'open' });
    const tickets = await office.as<{ id: string }[]>('ines', 'GET', `/tickets?${search}`);
    for (const { id } of tickets) await office.as('ines', 'PATCH', `/tickets/${id}`, { teamId });
  }
}
