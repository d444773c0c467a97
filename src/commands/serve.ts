import { countSealedFactors } from '../accounts/second-factor.ts';
import { type App, openApp } from '../app.ts';
import { countSealedKeys } from '../integrations/sealed-keys.ts';
import { wakeDispatch } from '../integrations/wake-dispatch.ts';
import { countSealedCredentials } from '../mailboxes/sealed-credentials.ts';
import { resumePendingMails } from '../mailflow/jobs.ts';
import { openMailIn } from '../mailflow/mail-in.ts';
import type { Config } from '../platform/config.ts';
import { type DatabaseServer, openDatabaseServer } from '../platform/database-server.ts';
import { type Db, openDb } from '../platform/db.ts';
import { listen } from '../platform/listen.ts';
import { openLog } from '../platform/log.ts';
import { migrate } from '../platform/migrate.ts';
import { startQueue } from '../platform/queue.ts';
import { awaitStopSignal, within } from '../platform/stop.ts';
import { buildServer } from '../server.ts';
import { crontab, jobHandlers, lanes } from '../worker.ts';

const drainSecondsMax = 10;
/** More than a machine has cores: most wait for mail servers, and a silent one is waited for up to two minutes. */
const jobsAtOnce = 10;

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

  const endings = [stopSignal, database.died];
  const queue = config.roles.worker
    ? await startQueue({
        db: queueDb(app, database, house),
        log,
        handlers: jobHandlers(app),
        crontab,
        concurrency: jobsAtOnce,
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
    const server = await buildServer(app, queue);
    house.defer(() => within(drainSecondsMax, log, 'waiting for requests to end', server.close()));
    if (config.smtpListen !== undefined) {
      const mailIn = await openMailIn(app, config.smtpListen);
      house.defer(() => within(drainSecondsMax, log, 'waiting for mails to end', mailIn.close()));
      log.info({ port: mailIn.port }, `Mail comes in by SMTP at port ${mailIn.port}`);
    }
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
    // Beside the jobs' there are two that listen for them, and now and then the clock's and the heartbeat's. Webhooks mostly
    // wait for their receivers, and hold none meanwhile.
    poolSize: jobsAtOnce + 10,
    onIdleError: (err) => log.warn({ err }, 'an idle database connection of the job queue was lost'),
  });
  house.defer(() => within(drainSecondsMax, log, 'closing the connections of the job queue', direct.close()));
  return direct;
}
