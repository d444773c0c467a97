import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { driveAlone } from './driver.ts';
import { readProcessFigures, type Serving } from './house.ts';
import { connectionCount } from './limit-pool.ts';
import { type Driven, drive } from './load.ts';
import { readNodeSeconds } from './node-seconds.ts';
import type { Operation } from './operation.ts';
import type { Options } from './options.ts';
import { type Figures, medianFigures, type OperationReport, type Report, tell, whole } from './report.ts';
import { type Asking, askingOf } from './requests.ts';
import type { World } from './world.ts';

export type Place = {
  world: World;
  options: Options;
  authSecret: string;
  service: Serving;
  limit: Serving;
  pool: pg.Pool;
  /** The database's nodes on this machine, the coordinator of a cluster first. */
  nodeUrls: readonly string[];
};

export async function measureAll(
  chosen: readonly Operation[],
  place: Place,
): Promise<Pick<Report, 'service' | 'fastifyPerSecond' | 'operations'>> {
  const { options, service, limit } = place;
  const reading = await measureInTurn(
    chosen.filter(({ isWrite }) => !isWrite),
    place,
  );
  const nothing = await drive({
    url: limit.url,
    asking: Array.from({ length: connectionCount }, () => [{ path: '/nothing' }]),
    seconds: options.secondsPerRound,
  });
  const writing = await measureInTurn(
    chosen.filter(({ isWrite }) => isWrite),
    place,
  );
  const { residentMb, residentMbTogether } = await readProcessFigures(service.url);
  return {
    service: { startMs: service.startMs, residentMb, residentMbTogether },
    fastifyPerSecond: nothing.requestsPerSecond,
    operations: [...reading, ...writing],
  };
}

type Rounds = OperationReport['rounds'];

/**
 * Each round measures every operation, first its limit and then the service, so that a disturbance of the machine
 * affects all.
 */
async function measureInTurn(chosen: readonly Operation[], place: Place): Promise<OperationReport[]> {
  const measured = chosen.map((operation): { operation: Operation; rounds: Rounds } => ({
    operation,
    rounds: { service: [], limit: [] },
  }));
  for (let round = 1; round <= place.options.rounds; round++) {
    for (const { operation, rounds } of measured) await measureOnce(operation, round, place, rounds);
  }
  const reports: OperationReport[] = [];
  for (const { operation, rounds } of measured) {
    const service = medianFigures(rounds.service);
    const limit = medianFigures(rounds.limit);
    const ratio = service.requestsPerSecond / limit.requestsPerSecond;
    const { name, goal } = operation;
    reports.push({ name, goal, service, limit, ratio, ...(await measureBeside(operation, place)), rounds });
  }
  return reports;
}

async function measureOnce(operation: Operation, round: number, place: Place, rounds: Rounds): Promise<void> {
  const { limit, service } = place;
  const drawn = 'want' in operation ? await askingOf(operation, place, round) : undefined;
  const common = { ...place, drawn };
  const limitUrl = `${limit.url}/${operation.name}`;
  rounds.limit.push(await measureSide(operation, { ...common, serving: limit, url: limitUrl, seed: 4 * round }));
  rounds.service.push(
    await measureSide(operation, { ...common, serving: service, url: service.url, seed: 4 * round + 2 }),
  );
  const [of, at] = [rounds.service, rounds.limit].map((figures) => whole(figures.at(-1)?.requestsPerSecond ?? 0));
  tell(`round ${round}, ${operation.name}: ${of}/s of ${at}/s`);
}

type Side = Place & {
  serving: Serving;
  url: string;
  /** The requests of the round, the same for both sides. Undefined if they follow from the answers. */
  drawn: Asking[] | undefined;
  /** The seed for requests that follow from answers: this number for the warm-up, the next one for the measurement. */
  seed: number;
};

async function measureSide(operation: Operation, side: Side): Promise<Figures> {
  const { url, serving, drawn, options, seed, nodeUrls } = side;
  const driveFor = async (seconds: number, further: 0 | 1): Promise<Driven> => {
    const asking = drawn ?? (await askingOf(operation, side, seed + further));
    await untilIdle(side.pool);
    return drive({ url, asking, seconds, ...(operation.isRefused && { status: 401 }) });
  };
  await driveFor(Math.max(Math.round(options.secondsPerRound / 5), 1), 0);
  const before = await serving.read();
  const nodesBefore = await readNodeSeconds(nodeUrls);
  const { requests, ...driven } = await driveFor(options.secondsPerRound, 1);
  const after = await serving.read();
  const nodesAfter = await readNodeSeconds(nodeUrls);
  const microsEach = (seconds: number): number => (seconds / requests) * 1e6;
  return {
    ...driven,
    cpuMicros: microsEach(after.cpuSeconds - before.cpuSeconds),
    nodeMicros: nodesAfter.map((seconds, node) => microsEach(seconds - (nodesBefore[node] ?? 0))),
    loopDelayP99Ms: after.loopDelayP99Ms,
  };
}

/** Measured beside the ratio: the driver alone, and for some operations the latency of a single client. */
async function measureBeside(
  operation: Operation,
  place: Place,
): Promise<Pick<OperationReport, 'driverPerSecond' | 'alone'>> {
  const { pool, world, options, service } = place;
  const driverPerSecond = operation.isRefused
    ? null
    : await driveAlone(pool, operation, world, options.secondsPerRound);
  if (operation.goal.aloneP99MsMax === undefined) return { driverPerSecond };
  const asking = (await askingOf(operation, place, 0)).slice(0, 1);
  await untilIdle(pool);
  const { p50Ms, p99Ms } = await drive({ url: service.url, asking, seconds: options.secondsPerRound });
  return { driverPerSecond, alone: { p50Ms, p99Ms } };
}

/** Waits for statements that outlive a load, which the next measurement would count. */
export async function untilIdle(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ active: number }>(`
      select count(*)::integer as active
      from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and state = 'active'
        and pid <> pg_backend_pid()`);
    if (rows[0]?.active === 0) return;
    await sleep(idlePauseMs);
  }
}

const idlePauseMs = 20;
