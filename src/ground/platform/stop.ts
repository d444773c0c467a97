import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './log.ts';

/** Why a service ends, for its last log line, and the exit code of its process. */
export type Ending = { reason: string; exitCode: number };

/** How long each step of stopping may take. */
export const drainSecondsMax = 10;

/**
 * A second signal within this time does not count. A terminal sends Ctrl-C to the whole group, and npm passes it on.
 */
const repeatMilliseconds = 1_000;

/** Waits for SIGTERM or SIGINT. A second signal ends the process at once, without waiting for running work. */
export function awaitStopSignal(log: Logger): Promise<Ending> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        resolve({ reason: `${signal}: stopping`, exitCode: 0 });
      } else if (performance.now() - firstAt > repeatMilliseconds) {
        log.warn({ signal }, 'stopped at once, on a second signal');
        process.exit(1);
      }
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** Aborts at the first signal; a second signal ends the process. */
export function stopSignal(log: Logger): AbortSignal {
  const stopping = new AbortController();
  void awaitStopSignal(log).then(() => stopping.abort());
  return stopping.signal;
}

/** Waits for a step of stopping, within a time limit. A failed step is logged and does not prevent the next step. */
export async function within(secondsMax: number, log: Logger, what: string, step: Promise<unknown>): Promise<void> {
  const giveUp = new AbortController();
  const late = sleep(secondsMax * 1_000, undefined, { signal: giveUp.signal }).then(
    () => log.warn({ secondsMax }, `${what} took too long: continuing without it`),
    () => undefined,
  );
  try {
    await Promise.race([step, late]);
  } catch (err) {
    log.warn({ err }, `${what} failed`);
  } finally {
    giveUp.abort();
  }
}
