import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './log.ts';

/** Why a running service ends, as its last log line tells, and what its process returns. */
export type Ending = { reason: string; exitCode: number };

/** How long each step of stopping may take. */
export const drainSecondsMax = 10;

/** npm passes a terminal's Ctrl-C on, although the terminal sent it to the whole group: two signals for one wish. */
const repeatMilliseconds = 1_000;

/** Waits for SIGTERM or SIGINT. A second one, for who cannot wait until all is drained, ends the process at once. */
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

/** Waits for a step of stopping, but not for ever, and lets the next step come also when this one fails. */
export async function within(secondsMax: number, log: Logger, what: string, step: Promise<unknown>): Promise<void> {
  const giveUp = new AbortController();
  const late = sleep(secondsMax * 1_000, undefined, { signal: giveUp.signal }).then(
    () => log.warn({ secondsMax }, `${what} took too long: going on without`),
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
