import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { openLog } from '../src/platform/log.ts';
import { migrate } from '../src/platform/migrate.ts';
import { driveAlone } from './driver.ts';
import { fill } from './fill.ts';
import { readProcessFigures, type Serving, startLimit, startService } from './house.ts';
import { drive } from './load.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import { type Options, readOptions, usage } from './options.ts';
import { type Figures, medianFigures, type OperationReport, type Report, reportText } from './report.ts';
import { requestsOf } from './requests.ts';
import { type World, worldOf } from './world.ts';

/**
 * How far every operation is from what the database and the HTTP server could do at all: the service with everything on,
 * beside a process that runs each operation's minimal SQL and nothing else, on the same data, in turn. The ratio of the two
 * tells of the code; the figures alone tell of the machine as well.
 */
async function bench(options: Options): Promise<Report> {
  const loadBefore = loadavg()[0] ?? 0;
  const world = worldOf(options.size);
  const authSecret = randomBytes(32).toString('base64url');
  const folder = await mkdtemp(join(tmpdir(), 'kontor-bench-'));
  await using house = new AsyncDisposableStack();
  house.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: openLog('warn') });
  house.defer(postgres.stop);
  await migrate(postgres.url, openLog('warn'));
  const filledFrom = performance.now();
  await orInterrupted(
    fill(postgres.url, world, (done) => tell(`made ${done}, ${Math.round(performance.now() - filledFrom)} ms`)),
  );

  const service = await startService({ databaseUrl: postgres.url, folder, authSecret });
  house.defer(service.stop);
  const limit = await startLimit(postgres.url);
  house.defer(limit.stop);
  const place = { world, options, authSecret, service, limit, databaseUrl: postgres.url };
  return { ...machine(loadBefore), ...(await orInterrupted(measure(place))) };
}

/** Throws when the run is interrupted, so that what was started for it is ended and removed. */
function orInterrupted<Result>(work: Promise<Result>): Promise<Result> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`${signal}: stopped`)));
  });
  return Promise.race([work, interrupted]);
}

type Machine = Pick<Report, 'at' | 'node' | 'processor' | 'processors' | 'loadBefore'>;

function machine(loadBefore: number): Machine {
  return {
    at: new Date().toISOString(),
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown processor',
    processors: cpus().length,
    loadBefore,
  };
}

async function measure(place: Place): Promise<Omit<Report, keyof Machine>> {
  const { world, options, service, limit } = place;
  const { size, rounds, secondsPerRound, only } = options;
  const chosen = operations.filter(({ name }) => only.length === 0 || only.includes(name));
  const [reads, writes] = [false, true].map((isWrite) => chosen.filter((operation) => operation.isWrite === isWrite));
  const reading = await measureInTurn(reads ?? [], place);
  const nothing = await drive({ url: limit.url, requests: [[{ path: '/nothing' }]], seconds: secondsPerRound });
  const writing = await measureInTurn(writes ?? [], place);
  return {
    size,
    ticketCount: world.ticketCount,
    secondsPerRound,
    rounds,
    service: { startMs: service.startMs, ...(await readProcessFigures(service.url)) },
    fastifyPerSecond: nothing.requestsPerSecond,
    operations: [...reading, ...writing],
  };
}

type Place = {
  world: World;
  options: Options;
  authSecret: string;
  service: Serving;
  limit: Serving;
  databaseUrl: string;
};

type Measured = OperationReport['rounds'];

/** Round by round, in each every operation, in each the service and its limit: what disturbs the machine disturbs all of them. */
async function measureInTurn(chosen: readonly Operation[], place: Place): Promise<OperationReport[]> {
  const { options, world, databaseUrl } = place;
  const measured = new Map<string, Measured>(chosen.map(({ name }) => [name, { service: [], limit: [] }]));
  for (let round = 1; round <= options.rounds; round++) {
    for (const operation of chosen) await measureOnce(operation, round, place, measured.get(operation.name)!); // Set above.
  }
  const reports: OperationReport[] = [];
  for (const operation of chosen) {
    const driverPerSecond = await driveAlone(databaseUrl, operation, world, options.secondsPerRound);
    const rounds = measured.get(operation.name)!; // Set above.
    const service = medianFigures(rounds.service);
    const limit = medianFigures(rounds.limit);
    const ratio = service.requestsPerSecond / limit.requestsPerSecond;
    reports.push({ name: operation.name, service, limit, ratio, driverPerSecond, rounds });
  }
  return reports;
}

async function measureOnce(operation: Operation, round: number, place: Place, into: Measured): Promise<void> {
  const { options, world, authSecret } = place;
  const requests = await requestsOf(operation, world, round, authSecret);
  const side = async ({ url, cpuSeconds }: Serving, figures: Figures[]): Promise<void> => {
    await drive({ url, requests, seconds: warmUpSeconds(options) });
    const cpuBefore = await cpuSeconds();
    const { requests: answered, ...driven } = await drive({ url, requests, seconds: options.secondsPerRound });
    figures.push({ ...driven, cpuMicros: (((await cpuSeconds()) - cpuBefore) / answered) * 1e6 });
  };
  await side(place.limit, into.limit);
  await side(place.service, into.service);
  const [limit, service] = [into.limit.at(-1), into.service.at(-1)];
  tell(
    `round ${round}, ${operation.name}: ${Math.round(service?.requestsPerSecond ?? 0)}/s of ${Math.round(limit?.requestsPerSecond ?? 0)}/s`,
  );
}

function warmUpSeconds({ secondsPerRound }: Options): number {
  return Math.max(Math.round(secondsPerRound / 5), 1);
}

/** Beside the table, which is standard output's. */
function tell(line: string): void {
  console.error(line);
}

try {
  const options = readOptions(
    process.argv.slice(2),
    operations.map(({ name }) => name),
  );
  const report = await bench(options);
  console.log(`\n${reportText(report)}`);
  if (options.jsonPath !== undefined) await writeFile(options.jsonPath, `${JSON.stringify(report, null, 2)}\n`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`usage: ${usage}`);
  process.exitCode = 1;
}
// An interrupted run leaves requests behind that nobody waits for.
process.exit();
