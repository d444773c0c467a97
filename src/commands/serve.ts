import { openApp } from '../app.ts';
import type { Config } from '../platform/config.ts';
import { openDatabaseServer } from '../platform/database-server.ts';
import { listen } from '../platform/listen.ts';
import { openLog } from '../platform/log.ts';
import { migrate } from '../platform/migrate.ts';
import { startQueue } from '../platform/queue.ts';
import { awaitStopSignal, within } from '../platform/stop.ts';
import { buildServer } from '../server.ts';
import { crontab, jobHandlers } from '../worker.ts';

const drainSecondsMax = 10;
const jobsAtOnce = 4;

/** Serves the roles of the settings until a signal comes or the database goes; returns the exit code. */
export async function serveCommand(config: Config): Promise<number> {
  const log = openLog(config.logLevel);
  const stopSignal = awaitStopSignal(log);
  for (const warning of config.warnings) log.warn(warning);

  // What is deferred here is undone in reverse order, also when a later step of the start fails.
  await using house = new AsyncDisposableStack();
  const database = await openDatabaseServer(config, log);
  house.defer(database.stop);
  await migrate(database.directUrl, log);

  const app = openApp({ config, log, databaseUrl: database.url });
  house.defer(() => within(drainSecondsMax, log, 'closing the connections', app.close()));

  const endings = [stopSignal, database.died];
  const queue = config.roles.worker
    ? await startQueue({ db: app.db, log, handlers: jobHandlers(app), crontab, concurrency: jobsAtOnce })
    : undefined;
  if (queue !== undefined) {
    house.defer(() => within(drainSecondsMax, log, 'waiting for jobs to end', queue.stop()));
    endings.push(queue.died);
  }

  if (config.roles.api) {
    const server = await buildServer(app, queue);
    house.defer(() => within(drainSecondsMax, log, 'waiting for requests to end', server.close()));
    const address = await listen(server, config);
    log.info(
      { address, startMs: Math.round(performance.now()) },
      `Kontor listens at ${address}, its API page is ${config.publicUrl}/docs`,
    );
  } else {
    log.info({ startMs: Math.round(performance.now()) }, 'Kontor works off its jobs');
  }

  const ending = await Promise.race(endings);
  if (ending.exitCode === 0) log.info(ending.reason);
  else log.fatal(ending.reason);
  return ending.exitCode;
}
