import { countSealedFactors } from '../accounts/second-factor.ts';
import { settleRestored } from '../activity/settle-restored.ts';
import { type App, openApp } from '../app.ts';
import { type Db, openDb } from '../database/db.ts';
import { migrate } from '../database/migrate.ts';
import { type DatabaseServer, openDatabaseServer } from '../embedded-postgres/database-server.ts';
import { listen } from '../http/listen.ts';
import { countSealedKeys } from '../integrations/sealed-keys.ts';
import { wakeDispatch } from '../integrations/wake-dispatch.ts';
import { countSealedCredentials } from '../mailboxes/sealed-credentials.ts';
import { resumePendingMails } from '../mailflow/jobs.ts';
import { openMailIn } from '../mailflow/mail-in.ts';
import { failedChecks, shareFailedChecks } from '../ops/health.ts';
import { openMetrics, shareMetrics } from '../ops/metrics.ts';
import { openLog } from '../platform/log.ts';
import { awaitStopSignal, drainSecondsMax, type Ending, within } from '../platform/stop.ts';
import { startProcesses } from '../processes/main-process.ts';
import { type Queue, startQueue } from '../queue/queue.ts';
import type { Config } from '../settings/config.ts';
import { crontab, jobHandlers, lanes, otherJobsAtOnce } from '../worker.ts';

/** The embedded server has a hundred connections; this process, the owner and an import need the rest. A single process uses 23. */
const sharedConnections = 60;
const connectionsMax = 20;

/** Serves the roles of the settings until a signal comes or the database goes; returns the exit code. */
export async function serveCommand(config: Config): Promise<number> {
  const log = openLog(config.logLevel);
  const stopSignal = awaitStopSignal(log);
  for (const warning of config.warnings) log.warn(warning);

  // What is deferred here is undone in reverse order, also when a later step of the start fails.
  await using house = new AsyncDisposableStack();
  house.defer(async () => log.info('stopped'));
  const database = await openDatabaseServer(config, log);
  house.defer(database.stop);
  await migrate(database.directUrl, log);

  const app = openApp({ config, log, databaseUrl: database.url });
  house.defer(() => within(drainSecondsMax, log, 'closing the connections', app.close()));

  await app.blobs.check();
  await tellOfSealed(app);
  await settleRestored(app);

  const endings = [stopSignal, database.died];
  const queue = config.roles.worker
    ? await startQueue({
        db: queueDb(app, database, house),
        log,
        handlers: jobHandlers(app),
        crontab,
        concurrency: otherJobsAtOnce,
        lanes,
      })
    : undefined;
  if (queue !== undefined) {
    house.defer(() => within(drainSecondsMax, log, 'waiting for jobs to end', queue.stop()));
    endings.push(queue.died);
    house.defer(wakeDispatch(app).stop);
    house.defer(async () => app.receivers.stop());
    await resumePendingMails(app);
  }

  if (config.roles.api) {
    if (config.smtpListen !== undefined) {
      const mailIn = await openMailIn(app, config.smtpListen);
      house.defer(() => within(drainSecondsMax, log, 'waiting for mails to end', mailIn.close()));
      log.info({ port: mailIn.port }, `Mail comes in by SMTP at port ${mailIn.port}`);
    }
    const serving =
      config.processCount === 1
        ? await serveRequests(app, queue, house)
        : await serveInProcesses(app, database, queue, house);
    endings.push(serving.died);
    const { address } = serving;
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

type Serving = { address: string; died: Promise<Ending> };

async function serveRequests(app: App, queue: Queue | undefined, house: AsyncDisposableStack): Promise<Serving> {
  // The main process of several has no use for the server's memory.
  const { buildServer } = await import('../server.ts');
  const server = await buildServer(app, { queue });
  house.defer(() => within(drainSecondsMax, app.log, 'waiting for requests to end', server.close()));
  return { address: await listen(server, app.config), died: new Promise(() => {}) };
}

async function serveInProcesses(
  app: App,
  database: DatabaseServer,
  queue: Queue | undefined,
  house: AsyncDisposableStack,
): Promise<Serving> {
  const { log, config } = app;
  const processes = await startProcesses({
    count: config.processCount,
    orders: {
      databaseUrl: database.url,
      poolSize: Math.min(Math.floor(sharedConnections / config.processCount), connectionsMax),
    },
    log,
    // Requests, and then the connections.
    stopMsMax: 2 * drainSecondsMax * 1_000,
  });
  house.defer(processes.stop);
  shareMetrics(processes, openMetrics(app, 'main'));
  shareFailedChecks(processes, () => failedChecks(app, queue));
  return processes;
}

/** Another key than the one that sealed them keeps people out, mailboxes shut and webhooks silent: better told here than at each of their turns. */
async function tellOfSealed({ db, seal, log }: App): Promise<void> {
  const sealed = [
    { what: 'second factors', ...(await countSealedFactors(db, seal)) },
    { what: 'credentials of mailboxes', ...(await countSealedCredentials(db, seal)) },
    { what: 'secrets of webhooks', ...(await countSealedKeys(db, seal)) },
  ];
  for (const { what, lost, outdated } of sealed) {
    if (lost > 0) log.error({ lost }, `ENCRYPTION_KEY does not open all ${what}: put the key back that sealed them`);
    if (outdated > 0) log.info({ outdated }, `an older key of ENCRYPTION_KEY is still needed for some ${what}`);
  }
}

/** The queue listens, which needs a session of its own: past a pooler it has its own connections. */
function queueDb({ db, clock, log }: App, { url, directUrl }: DatabaseServer, house: AsyncDisposableStack): Db {
  if (directUrl === url) return db;
  const direct = openDb({
    url: directUrl,
    clock,
    // One connection a lane listens. The others fetch and settle jobs; the work of the jobs goes through the pooler.
    poolSize: lanes.length + 1 + 15,
    onIdleError: (err) => log.warn({ err }, 'an idle database connection of the job queue was lost'),
  });
  house.defer(() => within(drainSecondsMax, log, 'closing the connections of the job queue', direct.close()));
  return direct;
}
