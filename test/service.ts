import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The service as `npm start` runs it: a process of its own on a data folder. */
export type Service = {
  url: string;
  process: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Resolves to its exit code once it has ended. */
  ended: Promise<number | null>;
  /** SIGKILL to the service and to its PostgreSQL, as when the machine's power goes. */
  killEverything(): Promise<number | null>;
};

const root = new URL('..', import.meta.url).pathname;
const readySecondsMax = 30;

/** Starts the service and waits until it is ready; throws with its output when it ends before. */
export async function startService(dataDir: string, settings: Record<string, string> = {}): Promise<Service> {
  const port = await freePort();
  let output = '';
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port), HOST: '127.0.0.1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const service: Service = {
    url: `http://127.0.0.1:${port}`,
    process: child,
    output: () => output,
    ended,
    killEverything: async () => {
      const postmaster = Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
      for (const pid of [child.pid ?? 0, postmaster, ...childrenOf(postmaster)]) kill(pid);
      return await ended;
    },
  };
  await untilReady(service);
  return service;
}

async function untilReady({ url, ended, output }: Service): Promise<void> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  for (let waited = 0; waited < readySecondsMax * 20; waited++) {
    if (hasEnded) throw new Error(`the service ended before it was ready:\n${output()}`);
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
    // It has ended by itself.
  }
}

/** Backends end by themselves when their postmaster is gone, but not in the same instant. */
function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
