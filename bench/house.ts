import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Processor time since the start, and the event loop's delay since the last call, without the timer's own interval. */
type ServingFigures = { cpuSeconds: number; loopDelayP99Ms: number };

/** A process that answers HTTP. */
export type Serving = {
  url: string;
  startMs: number;
  read(): Promise<ServingFigures>;
  stop(): Promise<void>;
};

const readyMsMax = 180_000;

export type ServiceOptions = {
  databaseUrl: string;
  folder: string;
  authSecret: string;
  /** Further settings. */
  settings?: Record<string, string>;
};

/** Starts the service as `npm start` does, with every feature on and its log in a file of the folder. */
export async function startService(options: ServiceOptions): Promise<Serving> {
  const { folder } = options;
  const port = await freePort();
  const logPath = join(folder, 'service.log');
  const log = await open(logPath, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../scripts/start.js', import.meta.url))], {
    stdio: ['ignore', log.fd, log.fd],
    env: { ...environmentOf(options), PORT: String(port) },
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
      const { cpuSeconds, eventLoopDelayP99Ms } = await readProcessFigures(url);
      return { cpuSeconds, loopDelayP99Ms: netDelayMs(eventLoopDelayP99Ms) };
    },
    stop: () => stop(child),
  };
}

/** The measuring timer fires every 10 ms, and these count as delay. */
function netDelayMs(measuredMs: number): number {
  return Math.max(measuredMs - 10, 0);
}

/** The settings of every process of the service. */
export function environmentOf({ databaseUrl, folder, authSecret, settings }: ServiceOptions): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    RATE_LIMIT_PER_MINUTE: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(folder, 'data'),
    AUTH_SECRET: authSecret,
    // Only releases with sealed credentials know this setting.
    ENCRYPTION_KEY: authSecret,
    ...settings,
  };
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

/** The answer of the limit's process at `/figures`. */
export type LimitFigures = { cpuSeconds: number; delayP99Ms: number };

/** Starts the limit's process. */
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

type ProcessFigures = {
  /** Of the largest process. */
  residentMb: number;
  residentMbTogether: number;
  cpuSeconds: number;
  eventLoopDelayP99Ms: number;
};

/** Reads the figures of all processes at `/metrics`. The delay covers the time since the last read. */
export async function readProcessFigures(url: string): Promise<ProcessFigures> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  // With several processes, each has its value under a label.
  const values = (name: string): number[] =>
    [...metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value));
  const residentMb = values('process_resident_memory_bytes').map((bytes) => Math.round(bytes / 1024 ** 2));
  return {
    residentMb: Math.max(...residentMb),
    residentMbTogether: sumOf(residentMb),
    cpuSeconds: sumOf(values('process_cpu_seconds_total')),
    eventLoopDelayP99Ms: Math.round(Math.max(...values('nodejs_eventloop_lag_p99_seconds')) * 10_000) / 10,
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
