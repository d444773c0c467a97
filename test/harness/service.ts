import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { cloneDatabase } from './harness.ts';
import { freePort, runService, type ServiceProcess, temporaryFolder } from './service-process.ts';

/** The service as `npm start` runs it, ready, on a data folder. */
export type Service = ServiceProcess & {
  url: string;
  /** Sends SIGKILL to the service and to its PostgreSQL, as a power failure would. */
  killEverything(): Promise<void>;
  /** Sends SIGKILL to the service alone. */
  kill(): Promise<void>;
};

/** A busy machine needs a minute for a new database. The service ends by itself if it cannot start. */
const readySecondsMax = 240;

/** Starts the service and waits until it is ready. Throws with the output if the service ends before. */
export async function startService(dataDir: string, settings: Record<string, string> = {}): Promise<Service> {
  const port = await freePort();
  const running = runService({ DATA_DIR: dataDir, PORT: String(port), ...settings });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(running, url);
  return {
    ...running,
    url,
    kill: async () => {
      running.process.kill('SIGKILL');
      await running.exited;
    },
    killEverything: async () => {
      const postmaster = Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
      for (const pid of [running.process.pid ?? 0, postmaster, ...childrenOf(postmaster)]) kill(pid);
      await running.exited;
    },
  };
}

async function untilReady({ process: child, output }: ServiceProcess, url: string): Promise<void> {
  for (let waited = 0; waited < readySecondsMax * 20; waited++) {
    if (child.exitCode !== null) throw new Error(`the service ended before it was ready:\n${output()}`);
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(50);
  }
  throw new Error(`the service was not ready in ${readySecondsMax} s:\n${output()}`);
}

function kill(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/** Backends end by themselves after their postmaster, but not at the same instant. */
function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

const secrets = { AUTH_SECRET: 'a'.repeat(48), ENCRYPTION_KEY: 'e'.repeat(48) };

/**
 * Starts services, one after another, on the same folder and a clone of the run's database: for crashes of the
 * service alone. `crash.test.ts` covers those of PostgreSQL. What a service held, the next one gets at once, not after
 * a minute.
 */
export function useServices(settings: Record<string, string> = {}): { dataDir(): string; start(): Promise<Service> } {
  const services: Service[] = [];
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    database = await cloneDatabase();
  });
  afterAll(async () => {
    for (const service of services) await service.kill();
    await database.drop();
    await folder.remove();
  });
  return {
    dataDir: () => folder.path,
    start: async () => {
      if (services.length > 0) await endLeases(database.url);
      const service = await startService(folder.path, { DATABASE_URL: database.url, ...secrets, ...settings });
      services.push(service);
      return service;
    },
  };
}

/** Ends all leases and heartbeats of dead processes, as their time would. */
async function endLeases(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(`
    select format('%I.%I', table_schema, table_name) as name from information_schema.columns
    where column_name = 'lease_until' and table_schema = 'public'`);
  const past = `now() - interval '1 hour'`;
  for (const { name } of rows)
    await client.query(`update ${name} set lease_until = ${past} where lease_until is not null`);
  await client.query(`update worker_heartbeats set seen_at = ${past}`);
  await client.query(`update graphile_worker._private_jobs set locked_at = ${past} where locked_at is not null`);
  await client.end();
}
