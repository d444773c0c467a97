import { join } from 'node:path';
import type { Db } from '../../src/ground/database/db.ts';
import { openDb } from '../../src/ground/database/open-db.ts';
import { startEmbeddedPostgres } from '../../src/ground/embedded-postgres/embedded-postgres.ts';
import { systemClock } from '../../src/ground/lib/clock.ts';
import { openLog } from '../../src/ground/platform/log.ts';
import { freePort, temporaryFolder } from '../../test/harness/service-process.ts';
import { type Desk, openDesk } from './desk.ts';
import { type Emulators, type Fleet, startEmulators, startFleet } from './processes.ts';

/** The parts of a run: database, providers and service, each in their own processes, and connected mailboxes. */
export type Stage = {
  db: Db;
  emulators: Emulators;
  fleet: Fleet;
  desks: Desk[];
  /** PostgreSQL's data folder. */
  databaseFolder: string;
};

export type StageOptions = {
  mailboxes: number;
  mailboxesPerDesk: number;
  workers: number;
  hasStalls: boolean;
  unitsPerMinute?: null;
};

/** @param house closes everything that this opens */
export async function openStage(house: AsyncDisposableStack, options: StageOptions): Promise<Stage> {
  const { mailboxes, mailboxesPerDesk, workers, ...behaviour } = options;
  const folder = await temporaryFolder();
  house.defer(folder.remove);
  const postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: openLog('warn') });
  house.defer(postgres.stop);
  const port = await freePort();
  const emulators = await startEmulators(`http://localhost:${port}`, behaviour);
  house.defer(() => {
    for (const { process } of emulators.processes) process.kill('SIGTERM');
  });
  const { sides, settings } = emulators;
  const fleet = await startFleet({ port, databaseUrl: postgres.url, dataDir: folder.path, workers, settings });
  house.defer(fleet.stop);
  const db = openDb({ url: postgres.url, clock: systemClock, poolSize: 4, onIdleError: () => {} });
  house.defer(db.close);
  const addresses = Array.from({ length: mailboxes }, (_, index) => {
    const side = sides[index % sides.length];
    if (side === undefined) throw new Error('there is no provider');
    return { side, address: `box${index}@${side.provider}.example` };
  });
  const desks: Desk[] = [];
  for (let at = 0; at < addresses.length; at += mailboxesPerDesk)
    desks.push(await openDesk(fleet.url, `desk${at}`, addresses.slice(at, at + mailboxesPerDesk)));
  return { db, emulators, fleet, desks, databaseFolder: join(folder.path, 'postgres/data') };
}
