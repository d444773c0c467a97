import { countSealedFactors } from '../../access/accounts/second-factor.ts';
import { type App, openApp } from '../../app.ts';
import { settleRestored } from '../../events/activity/settle-restored.ts';
import { countSealedKeys } from '../../events/integrations/sealed-keys.ts';
import type { Db } from '../../ground/database/db.ts';
import { migrate } from '../../ground/database/migrate.ts';
import { openDb } from '../../ground/database/open-db.ts';
import { type DatabaseServer, openDatabaseServer } from '../../ground/embedded-postgres/database-server.ts';
import { listen, tryPort } from '../../ground/http/listen.ts';
import { systemClock } from '../../ground/lib/clock.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { type Logger, openLog } from '../../ground/platform/log.ts';
import { awaitStopSignal, drainSecondsMax, type Ending, within } from '../../ground/platform/stop.ts';
import { startProcesses } from '../../ground/processes/main-process.ts';
import { startDueWork } from '../../ground/queue/due-work.ts';
import { type Queue, startQueue } from '../../ground/queue/queue.ts';
import type { Config } from '../../ground/settings/config.ts';
import { openTelemetry } from '../../ground/telemetry/open-telemetry.ts';
import { startListening } from '../../mail/mailboxes/listening/listening.ts';
import { countSealedCredentials } from '../../mail/mailboxes/sealed-credentials.ts';
import { openMailIn } from '../../transport/mailflow/mail-in.ts';
import { crontab, dueKinds, jobHandlers, lanes, otherJobsAtOnce } from '../../worker.ts';
import { findHold } from '../backups/go-live.ts';
import { failedChecks, shareFailedChecks } from '../ops/health.ts';
import { exportMetrics, openMetrics, shareMetrics } from '../ops/metrics.ts';

/**
 * Of the embedded server's 100 connections, the processes that answer requests share 60. The rest is for the main
 * process, which uses 23, the connection of the server's owner, and an import.
 */
const connectionsOfAllMax = 60;
const connectionsOfOneMax = 20;

/**
 * Runs the configured roles until a signal comes, or the database, the queue or a process is lost.
 * @param onReady gets the address for people
 * @returns the exit code
 */
export async function serveCommand(settings: Config, onReady: (url: string) => void = () => {}): Promise<number> {
  const log = openLog(settings.logLevel);
  const stopSignal = awaitStopSignal(log);
  for (const warning of settings.warnings) log.warn(warning);

  // Deferred steps run in reverse order, also when a later step of the start fails.
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => log.info('stopped'));
  if (settings.roles.api) await tryPort(settings);
  const database = await openDatabaseServer(settings, log);
  stack.defer(database.stop);
  const config = await prepareDatabase(settings, database, log);

  const telemetry = await openTelemetry(config.telemetry, log);
  stack.defer(async () => telemetry?.close());
  const app = openApp({ config, log, databaseUrl: database.url, telemetry });
  stack.defer(() => within(drainSecondsMax, log, 'closing the connections', app.close()));

  await app.blobs.check();
  await reportLostSecrets(app);
  await settleRestored(app);

  const endings = [stopSignal, database.died];
  const queue = config.roles.worker
    ? await startQueue({
        db: queueDb(app, database, stack),
        log,
        handlers: jobHandlers(app),
        crontab,
        concurrency: otherJobsAtOnce,
        lanes,
      })
    : undefined;
  if (queue !== undefined) {
    stack.defer(() => within(drainSecondsMax, log, 'waiting for jobs to end', queue.stop()));
    endings.push(queue.died);
    for (const { stop } of dueKinds(app).map((kind) => startDueWork(app, kind)))
      stack.defer(() => within(drainSecondsMax, log, 'waiting for due work to end', stop()));
    const listening = startListening(app);
    stack.defer(() => within(drainSecondsMax, log, 'waiting for mail servers to be left', listening.stop()));
    stack.defer(async () => app.receivers.stop());
  }

  if (config.roles.api) {
    if (config.smtpListen !== undefined) {
      const mailIn = await openMailIn(app, config.smtpListen);
      stack.defer(() => within(drainSecondsMax, log, 'waiting for mails to end', mailIn.close()));
      log.info({ port: mailIn.port }, `Kontor accepts mail by SMTP at port ${mailIn.port}`);
    }
    const serving =
      config.processCount === 1
        ? await serveRequests(app, queue, stack)
        : await serveInProcesses(app, database, queue, stack);
    endings.push(serving.died);
    const { address } = serving;
    log.info(
      { address, startMs: Math.round(performance.now()) },
      `Kontor listens at ${address}; the API reference is at ${config.publicUrl}/docs`,
    );
    onReady(config.port === 0 ? address : config.publicUrl);
  } else {
    exportMetrics(app, openMetrics(app));
    log.info({ startMs: Math.round(performance.now()) }, 'Kontor runs its jobs');
  }

  const ending = await Promise.race(endings);
  if (ending.exitCode === 0) log.info(ending.reason);
  else log.fatal(ending.reason);
  return ending.exitCode;
}

async function prepareDatabase(settings: Config, database: DatabaseServer, log: Logger): Promise<Config> {
  // Secrets that cannot be read end the start before it changes the database.
  const { authSecret: _auth, encryptionKeys: _keys } = settings;
  await migrate(database.directUrl, log);
  return withHold(settings, database, log);
}

/** A restored copy must not send or take mail, because the original service may still run. */
async function withHold(config: Config, { url }: DatabaseServer, log: Logger): Promise<Config> {
  const db = openDb({ url, clock: systemClock, poolSize: 1, onIdleError: () => {} });
  const takenAt = await findHold(db).finally(() => db.close());
  if (takenAt === undefined) return config;
  const copy = `This is the copy of a backup of ${takenAt}`;
  if (!config.roles.api) throw new StartError(`${copy}: run \`go-live\` before its jobs.`);
  log.warn(`${copy}, on hold: it neither reads nor sends mail until \`go-live\``);
  return { ...config, roles: { api: true, worker: false }, smtpListen: undefined };
}

type Serving = { address: string; died: Promise<Ending> };

async function serveRequests(app: App, queue: Queue | undefined, stack: AsyncDisposableStack): Promise<Serving> {
  // The main process of several answers no requests, so it does not load the server's code.
  const { buildServer } = await import('../../server.ts');
  const server = await buildServer(app, { queue });
  stack.defer(() => within(drainSecondsMax, app.log, 'waiting for requests to end', server.close()));
  return { address: await listen(server, app.config), died: new Promise(() => {}) };
}

async function serveInProcesses(
  app: App,
  database: DatabaseServer,
  queue: Queue | undefined,
  stack: AsyncDisposableStack,
): Promise<Serving> {
  const { log, config } = app;
  const processes = await startProcesses({
    count: config.processCount,
    orders: {
      databaseUrl: database.url,
      poolSize: Math.min(Math.floor(connectionsOfAllMax / config.processCount), connectionsOfOneMax),
    },
    log,
    // A stop waits twice: first for requests, then for connections.
    stopMsMax: 2 * drainSecondsMax * 1_000,
  });
  stack.defer(processes.stop);
  const metrics = openMetrics(app, 'main');
  shareMetrics(processes, metrics);
  exportMetrics(app, metrics);
  shareFailedChecks(processes, () => failedChecks(app, queue));
  return processes;
}

/**
 * Reports at the start if `ENCRYPTION_KEY` does not open all stored secrets. Without the right key, people with a
 * second factor cannot sign in, mailboxes cannot be read and webhooks cannot be signed.
 */
async function reportLostSecrets({ db, seal, log }: App): Promise<void> {
  const sealed = [
    { what: 'second factors', ...(await countSealedFactors(db, seal)) },
    { what: 'credentials of mailboxes', ...(await countSealedCredentials(db, seal)) },
    { what: 'secrets of webhooks', ...(await countSealedKeys(db, seal)) },
  ];
  for (const { what, lost, outdated } of sealed) {
    if (lost > 0) log.error({ lost }, `ENCRYPTION_KEY does not open all ${what}: restore the key that sealed them`);
    if (outdated > 0) log.info({ outdated }, `some ${what} still need an older key of ENCRYPTION_KEY`);
  }
}

/** The queue uses LISTEN, which needs its own session. So behind a pooler the queue gets direct connections. */
function queueDb({ db, clock, log }: App, { url, directUrl }: DatabaseServer, stack: AsyncDisposableStack): Db {
  if (directUrl === url) return db;
  const direct = openDb({
    url: directUrl,
    clock,
    // Each lane listens on one connection. The other 15 fetch and settle jobs. The jobs' own work uses the pooler.
    poolSize: lanes.length + 1 + 15,
    onIdleError: (err) => log.warn({ err }, 'an idle database connection of the job queue was lost'),
  });
  stack.defer(() => within(drainSecondsMax, log, 'closing the connections of the job queue', direct.close()));
  return direct;
}
