/**
 * Loaded into a service by `node --import`. Writes the longest hold of the event loop into the file HOLDS_FILE, by the
 * clock and by the processor time of the main thread. On a busy machine the clock also counts what other programs took.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export type Holds = { clockMs: number; processorMs: number };

const path = process.env.HOLDS_FILE;
const everyMs = 1;
const noteEveryMs = 500;

if (isMainThread && path !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: everyMs });
  delay.enable();
  let processorMs = 0;
  const busyMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let before = busyMs();
  setInterval(() => {
    const now = busyMs();
    processorMs = Math.max(processorMs, now - before);
    before = now;
  }, everyMs).unref();
  setInterval(() => {
    const holds: Holds = { clockMs: delay.max / 1e6, processorMs };
    writeFileSync(path, JSON.stringify(holds));
  }, noteEveryMs).unref();
  process.on('SIGUSR2', () => {
    delay.reset();
    processorMs = 0;
  });
}
