import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { databasePlace } from './database-place.ts';

export type ServiceProcess = {
  process: ChildProcess;
  /** Everything that the process wrote, on both streams. */
  output(): string;
  /** Resolves with the match once the output has it. Rejects if the process ends before. */
  seen(pattern: RegExp): Promise<RegExpExecArray>;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/**
 * A command of the service in its own process, watched from its first line: for starts that fail, and for ends. Without
 * a `PORT` among the settings it takes a free one.
 * `service.ts` starts a service that is ready.
 */
export function runService(settings: Record<string, string>, args: string[] = ['scripts/start.js']): ServiceProcess {
  const { DATABASE_URL: _url, ...environment } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...environment, HOST: '127.0.0.1', PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      tell();
    });
  }
  let isOver = false;
  const exited: ServiceProcess['exited'] = new Promise((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      resolve({ code, signal });
      tell();
    });
  });
  return {
    process: child,
    output: () => output,
    exited,
    seen: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match === null && !isOver) return;
          listeners.delete(look);
          if (match === null) reject(new Error(`${pattern} never came:\n${output}`));
          else resolve(match);
        };
        listeners.add(look);
        look();
      }),
  };
}

/** The system gives ports from here on to connections, which could take one before the service listens at it. */
const givenOutFrom = 32_768;

/** A port that nobody listens at. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(givenOutFrom - 10_000, givenOutFrom);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(databasePlace(), 'kontor-service-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
