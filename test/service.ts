import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, runService, type ServiceProcess } from './service-process.ts';

/** The service as `npm start` runs it, ready, on a data folder. */
export type Service = ServiceProcess & {
  url: string;
  /** Sends SIGKILL to the service and to its PostgreSQL, as a power failure would. */
  killEverything(): Promise<void>;
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
