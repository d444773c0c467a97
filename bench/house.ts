import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** What it has used of a processor so far, and the event loop's delay since it was last asked, net of the clock's own. */
type ServingFigures = { cpuSeconds: number; loopDelayP99Ms: number };

/** A process that answers HTTP. */
export type Serving = {
  url: string;
  startMs: number;
  read(): Promise<ServingFigures>;
  stop(): Promise<void>;
};

const readyMsMax = 60_000;

export type ServiceOptions = {
  databaseUrl: string;
  folder: string;
  authSecret: string;
  /** Further settings. */
  settings?: Record<string, string>;
};

/** The service as `npm start` starts it, with every feature on and its log in a file of the folder. */
export async function startService({
  databaseUrl,
  folder,
  authSecret,
  settings = {},
}: ServiceOptions): Promise<Serving> {
  const port = await freePort();
  const logPath = join(folder, 'service.log');
  const log = await open(logPath, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../scripts/start.js', import.meta.url))], {
    stdio: ['ignore', log.fd, log.fd],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      HOST: '127.0.0.1',
      ROLES: 'api',
      LOG_LEVEL: 'info',
      RATE_LIMIT_PER_MINUTE: '0',
      DATABASE_URL: databaseUrl,
      DATA_DIR: join(folder, 'data'),
      AUTH_SECRET: authSecret,
      // Settings that a release with sealed credentials asks for; others do not know it.
      ENCRYPTION_KEY: authSecret,
      ...settings,
    },
  });
  await log.close();
  const url = `http://127.0.0.1:${port}`;
  try {
    while (!(await isReady(url))) {
      const isLate = performance.now() - startedAt > readyMsMax;
      if (child.exitCode !== null || isLate) throw new Error(`the service is not ready:\n${await readLogEnd(logPath)}`);
      await sleep(5);
    }
  } catch (error) {
    await stop(child);
    throw error;
  }
  return {
    url,
    startMs: Math.round(performance.now() - startedAt),
    read: async () => {
      const value = await readMetrics(url);
      const delaySeconds = value('nodejs_eventloop_lag_p99_seconds');
      return { cpuSeconds: value('process_cpu_seconds_total'), loopDelayP99Ms: netDelayMs(delaySeconds * 1_000) };
    },
    stop: () => stop(child),
  };
}

/** The delay is measured by a timer of 10 ms, which are no delay. */
function netDelayMs(measuredMs: number): number {
  return Math.max(measuredMs - 10, 0);
}

async function readLogEnd(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim().split('\n').slice(-10).join('\n');
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** What the limit tells of itself at `/figures`. */
export type LimitFigures = { cpuSeconds: number; delayP99Ms: number };

/** The limit's process. */
export async function startLimit(databaseUrl: string): Promise<Serving> {
  const startedAt = performance.now();
  const child = fork(new URL('./limit.ts', import.meta.url), [databaseUrl], { execArgv: [] });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  const { url } = message as { url?: string };
  if (url === undefined) throw new Error('the process of the limit ended while it started');
  return {
    url,
    startMs: Math.round(performance.now() - startedAt),
    read: async () => {
      const { cpuSeconds, delayP99Ms } = (await (await fetch(`${url}/figures`)).json()) as LimitFigures;
      return { cpuSeconds, loopDelayP99Ms: netDelayMs(delayP99Ms) };
    },
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is to be had');
  return address.port;
}

export type ProcessFigures = { residentMb: number; eventLoopDelayP99Ms: number };

/** What the service tells of itself at `/metrics`; the delay is of the time since it was last asked. */
export async function readProcessFigures(url: string): Promise<ProcessFigures> {
  const value = await readMetrics(url);
  return {
    residentMb: Math.round(value('process_resident_memory_bytes') / 1024 ** 2),
    eventLoopDelayP99Ms: Math.round(value('nodejs_eventloop_lag_p99_seconds') * 10_000) / 10,
  };
}

async function readMetrics(url: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}
