import { isDatabaseAway } from '../../ground/database/faults.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { Logger } from '../../ground/platform/log.ts';
import { folded, type Poke, routeOf } from './poke.ts';
import type { GatheredPoke } from './queue-work.ts';

/** Commits the work of pokes. @returns the routes that lead to a mailbox */
type Commit = (pokes: GatheredPoke[]) => Promise<ReadonlySet<string>>;

export type Gatherer = {
  /**
   * Queues the work that the pokes ask for, in one batch with other requests.
   * @returns the routes that lead to a mailbox, once the batch is committed; may include routes of other requests
   * Throws `unavailable` when the commit failed or its result is unknown.
   */
  add(pokes: readonly Poke[]): Promise<ReadonlySet<string>>;
};

/** Refuses more requests waiting for a batch, and more mailboxes in a batch, than this. */
const waitingMax = 10_000;
/** Named mails per route in a batch. The sync finds other mails without their ids. */
const mailIdsMax = 1_000;
/** Providers give up on an answer after three seconds. Before that we tell them to retry. */
const commitMsMax = 2_000;
const retryAfterSeconds = 2;

type PokeBatch = { pokes: Map<string, GatheredPoke>; requests: number } & PromiseWithResolvers<ReadonlySet<string>>;

/**
 * Gathers the work of several requests and commits it in batches, one at a time. A separate job costs one commit per
 * request (1,300 a second). Jobs of one mailbox would also wait for each other's row lock.
 */
export function openGatherer(commit: Commit, log: Logger): Gatherer {
  let gathering: PokeBatch | undefined;
  let isCommitting = false;
  let isStuck = false;

  const begin = (): PokeBatch => {
    // Takes all requests of this event loop turn. A longer wait gained nothing: the next batch fills during the
    // commit.
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
  const run = async (batch: PokeBatch): Promise<void> => {
    const deadline = setTimeout(() => {
      isStuck = true;
      for (const waiting of [batch, gathering]) waiting?.reject(unavailable());
      gathering = undefined;
      log.warn({ waitedMs: commitMsMax }, 'the database takes too long to queue the work of webhooks');
    }, commitMsMax);
    try {
      batch.resolve(await commit([...batch.pokes.values()]));
    } catch (err) {
      log[isDatabaseAway(err) ? 'warn' : 'error']({ err }, 'the work of webhooks could not be queued');
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
      batch.requests++;
      for (const poke of pokes) {
        const other = batch.pokes.get(routeOf(poke));
        const mailIds = other?.mailIds ?? new Set();
        if (poke.mailId !== undefined && mailIds.size < mailIdsMax) mailIds.add(poke.mailId);
        batch.pokes.set(routeOf(poke), { ...other, ...folded(poke, other), mailIds });
      }
      return batch.promise;
    },
  };
}

function unavailable(cause?: unknown): AppError {
  return new AppError('unavailable', {}, { cause, headers: { 'retry-after': String(retryAfterSeconds) } });
}
