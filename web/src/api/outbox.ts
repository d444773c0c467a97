import { ApiError } from './client.ts';

/** A write that waits for its turn. Its idempotency key makes a repeat safe. */
export type Waiting<Write> = { key: string; subjects: readonly string[]; write: Write; attempts: number };

type Handlers<Write> = {
  send: (write: Write, key: string) => Promise<void>;
  onRefused: (write: Write, key: string, error: Error) => void;
  onChange: () => void;
};

const atOnceMax = 4;
const attemptsMax = 4;
const offlineWaitMaxMs = 30_000;

/**
 * Sends writes in order: writes about the same subject one after the other, others in parallel. A write that the
 * service could not take is sent again. A refused write goes to `onRefused` and is dropped.
 */
export function createOutbox<Write>({ send, onRefused, onChange }: Handlers<Write>) {
  let waiting: readonly Waiting<Write>[] = [];
  const underWay = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOffline = false;
  let failures = 0;

  const set = (next: readonly Waiting<Write>[]) => {
    waiting = next;
    onChange();
  };
  const remove = (key: string) => set(waiting.filter((entry) => entry.key !== key));
  const pump = () => {
    if (timer !== undefined) return;
    for (const entry of readyIn(waiting, underWay).slice(0, atOnceMax - underWay.size)) void deliver(entry);
  };
  const wake = () => {
    clearTimeout(timer);
    timer = undefined;
    pump();
  };
  const deliver = async (entry: Waiting<Write>) => {
    underWay.add(entry.key);
    try {
      await send(entry.write, entry.key);
      isOffline = false;
      failures = 0;
      remove(entry.key);
    } catch (error) {
      fail(entry, error as Error); // fetch and our own client throw only errors
    }
    underWay.delete(entry.key);
    pump();
  };
  const fail = (entry: Waiting<Write>, error: Error) => {
    failures += 1;
    isOffline = !(error instanceof ApiError);
    const waitMs = waitOf(error, entry.attempts, failures);
    if (waitMs === undefined) {
      remove(entry.key);
      onRefused(entry.write, entry.key, error);
      return;
    }
    // A lost connection does not count as an attempt.
    const attempts = isOffline ? entry.attempts : entry.attempts + 1;
    set(waiting.map((other) => (other.key === entry.key ? { ...entry, attempts } : other)));
    timer ??= setTimeout(wake, waitMs);
  };
  return {
    put: (entry: Omit<Waiting<Write>, 'attempts'>) => {
      set([...waiting, { ...entry, attempts: 0 }]);
      pump();
    },
    /** Adds writes that an earlier page left behind. */
    resume: (entries: readonly Waiting<Write>[]) => {
      set([...entries, ...waiting]);
      pump();
    },
    /** Drops a write that has not been sent yet. @returns whether it was in time */
    takeBack: (key: string) => {
      const isWaiting = waiting.some((entry) => entry.key === key) && !underWay.has(key);
      if (isWaiting) remove(key);
      return isWaiting;
    },
    clear: () => set([]),
    wake,
    waiting: () => waiting,
    isOffline: () => isOffline,
  };
}

/** The writes that can be sent now: no earlier write about one of their subjects is waiting. */
function readyIn<Write>(waiting: readonly Waiting<Write>[], underWay: ReadonlySet<string>): Waiting<Write>[] {
  return waiting.filter((entry, at) => {
    const earlier = waiting.slice(0, at).flatMap(({ subjects }) => subjects);
    return !underWay.has(entry.key) && !entry.subjects.some((subject) => earlier.includes(subject));
  });
}

/** @returns how long to wait before the next attempt; undefined where the write was refused for good */
function waitOf(error: Error, attempts: number, failures: number): number | undefined {
  if (!(error instanceof ApiError))
    return error instanceof TypeError ? Math.min(1_000 * 2 ** failures, offlineWaitMaxMs) : undefined;
  // The session has ended: the write waits until the person has signed in again.
  if (error.status === 401) return offlineWaitMaxMs;
  const isBusy = error.status === 429 || error.status === 503 || error.key === 'idempotency.in_progress';
  if (isBusy) return (error.retryAfterSeconds ?? 1) * 1_000;
  return error.status >= 500 && attempts + 1 < attemptsMax ? 1_000 * 2 ** attempts : undefined;
}
