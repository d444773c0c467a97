import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillCluster } from './cluster/cluster-data.ts';
import { nodeUrlsOf } from './cluster/cluster-nodes.ts';
import { openData } from './data.ts';
import { startLimit, startService } from './house.ts';
import { measureImport } from './import.ts';
import { orInterrupted } from './interrupted.ts';
import { openLimitPool } from './limit-pool.ts';
import { measureAll } from './measure.ts';
import { operations } from './operations.ts';
import { type Options, readOptions, usage } from './options.ts';
import { type Report, reportText, tell } from './report.ts';
import { mailWebhookSecret, worldOf } from './world.ts';

/**
 * Measures how close every operation comes to the limits of the database and the HTTP server. The service runs with
 * every feature on. Beside it, a process runs each operation's minimal SQL and nothing else, on the same data, in turn.
 * The ratio of the two measures the code; the single figures also measure the machine.
 */
async function bench(options: Options): Promise<Report> {
  const { size, only, processes, rounds, secondsPerRound } = options;
  const loadBefore = loadavg()[0] ?? 0;
  const isChosen = (name: string): boolean => only.length === 0 || only.includes(name);
  const chosen = operations.filter(({ name }) => isChosen(name));
  const world = worldOf(size);
  const authSecret = randomBytes(32).toString('base64url');
  const folder = await mkdtemp(join(tmpdir(), 'kontor-bench-'));
  await using house = new AsyncDisposableStack();
  house.defer(() => rm(folder, { recursive: true, force: true }));
  const isImporting = isChosen(importName);
  const data = await orInterrupted(
    options.clusterUrl === undefined
      ? openData(house, { size, folder, keptFolder: options.dataFolder })
      : fillCluster(options.clusterUrl, size, (done) => tell(`made ${done}`)),
  );
  const nodeUrls = options.clusterUrl === undefined ? [data.url] : await nodeUrlsOf(options.clusterUrl);

  const settings = {
    MAIL_A_WEBHOOK_SECRET: mailWebhookSecret,
    ...(processes === undefined ? {} : { WEB_CONCURRENCY: String(processes) }),
  };
  const serviceOptions = { databaseUrl: data.url, folder, authSecret, settings };
  // The first start after an installation compiles all code; later starts read it from a cache.
  const first = await startService(serviceOptions);
  await first.stop();
  const service = await startService(serviceOptions);
  house.defer(service.stop);
  const limit = await startLimit(data.url);
  house.defer(limit.stop);
  const pool = openLimitPool(data.url);
  house.defer(() => pool.end());
  const measured = await orInterrupted(
    measureAll(chosen, { world, options, authSecret, service, limit, pool, nodeUrls }),
  );
  const imported = isImporting ? await orInterrupted(measureImport(serviceOptions)) : undefined;
  return {
    at: new Date().toISOString(),
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown processor',
    processors: cpus().length,
    loadBefore,
    size,
    ticketCount: world.ticketCount,
    fillSeconds: data.fillSeconds,
    processes: processes ?? 1,
    secondsPerRound,
    rounds,
    firstStartMs: first.startMs,
    ...measured,
    ...(imported && { imported }),
  };
}

/** Measured beside the operations: mails a second, and memory. */
const importName = 'import';

try {
  const options = readOptions(process.argv.slice(2), [...operations.map(({ name }) => name), importName]);
  const report = await bench(options);
  console.log(`\n${reportText(report)}`);
  if (options.jsonPath !== undefined) await writeFile(options.jsonPath, `${JSON.stringify(report, null, 2)}\n`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`usage: ${usage}`);
  process.exitCode = 1;
}
// An interrupted run leaves requests behind that would keep the process alive.
process.exit();
