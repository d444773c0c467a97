import { isDatabaseAway } from '../database/faults.ts';
import { AppError } from '../lib/errors.ts';
import { correlation } from '../platform/correlation.ts';
import type { Logger } from '../platform/log.ts';
import { folded, type Poke, routeOf } from './poke.ts';
import type { TracedPoke } from './queue-work.ts';

/** Commits the work of pokes; @returns the routes that lead to a mailbox */
type Commit = (pokes: TracedPoke[]) => Promise<ReadonlySet<string>>;

export type Gatherer = {
  /**
   * Queues what pokes ask for, together with what other requests ask for at the time.
   * @returns once it is committed, the routes that lead to a mailbox; there may be others' among them
   * Throws `unavailable` when that did not come to pass, or is not known to have.
   */
  add(pokes: readonly Poke[]): Promise<ReadonlySet<string>>;
};

/** Beyond it more is refused: of requests that wait for a batch, and of mailboxes that it is for. */
const waitingMax = 10_000;
/** Named mails of one route in a batch. The sync finds the others without their ids. */
const mailIdsMax = 1_000;
/** Providers take an answer for lost after three seconds: until then it is said that they must try again. */
const commitMsMax = 2_000;
const retryAfterSeconds = 2;

type Batch = { pokes: Map<string, TracedPoke>; requests: number } & PromiseWithResolvers<ReadonlySet<string>>;

/**
 * Gathers what requests ask for and commits it in batches, one at a time: a job added by itself costs a commit a request
 * (1,300 a second), and those of one mailbox would wait for each other's row.
 */
export function openGatherer(commit: Commit, log: Logger): Gatherer {
  let gathering: Batch | undefined;
  let isCommitting = false;
  let isStuck = false;

  const begin = (): Batch => {
    // Whoever comes in this turn comes along. Waiting longer gained nothing: while one batch is committed the next one fills.
    setImmediate(flush);
    return { pokes: new Map(), requests: 0, ...Promise.withResolvers() };
  };
  const flush = (): void => {
    if (isCommitting || gathering === undefined) return;
    const batch = gathering;
    gathering = undefined;
    isCommitting = true;
    void run(batch);
  };
  const run = async (batch: Batch): Promise<void> => {
    const deadline = setTimeout(() => {
      isStuck = true;
      for (const waiting of [batch, gathering]) waiting?.reject(unavailable());
      gathering = undefined;
      log.warn({ waitedMs: commitMsMax }, 'the database takes too long to queue what webhooks ask for');
    }, commitMsMax);
    try {
      batch.resolve(await commit([...batch.pokes.values()]));
    } catch (err) {
      log[isDatabaseAway(err) ? 'warn' : 'error']({ err }, 'what webhooks ask for could not be queued');
      batch.reject(unavailable(err));
    } finally {
      clearTimeout(deadline);
      isStuck = false;
      isCommitting = false;
      flush();
    }
  };

  return {
    add: async (pokes) => {
      if (pokes.length === 0) return new Set();
      const { requests = 0, pokes: waiting } = gathering ?? {};
      if (isStuck || requests >= waitingMax || (waiting?.size ?? 0) >= waitingMax) throw unavailable();
      gathering ??= begin();
      const batch = gathering;
      const correlationId = correlation.getStore();
      batch.requests++;
      for (const poke of pokes) {
        const other = batch.pokes.get(routeOf(poke));
        const mailIds = other?.mailIds ?? new Set();
        if (poke.mailId !== undefined && mailIds.size < mailIdsMax) mailIds.add(poke.mailId);
        batch.pokes.set(routeOf(poke), { correlationId, ...other, ...folded(poke, other), mailIds });
      }
      return batch.promise;
    },
  };
}

function unavailable(cause?: unknown): AppError {
  return new AppError('unavailable', {}, { cause, headers: { 'retry-after': String(retryAfterSeconds) } });
}
