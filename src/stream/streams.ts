import type { ServerResponse } from 'node:http';
import type { Queryable } from '../database/db.ts';
import type { Live } from '../database/live.ts';
import type { Signal } from '../database/signals.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { inTurns } from '../lib/in-turns.ts';
import type { Logger } from '../platform/log.ts';
import { Feed } from './feed.ts';
import { findEnded } from './find-ended.ts';
import { decodePosition, nowhere } from './position.ts';
import { findNews } from './read-facts.ts';
import { type Holder, Subscriber } from './subscriber.ts';

type Parts = { db: Queryable; live: Live; clock: Clock; log: Logger };

/** What ends a stream is to end it within a second. */
const lookMs = 500;
/** Nothing is told on the strength of an older look at who may read. */
const confirmedMsMax = 1_000;
const streamsMax = 5_000;
/** More than a person opens; of those that a lost network left behind some are found only after a quarter of an hour. */
const streamsOfOneMax = 100;
/** Who has not taken the end of their stream by then is not waited for when the service stops. */
const leaveMsMax = 1_000;
/** Of streams that catch up, so many read at once, the workspaces in turn: of a process that died all come at the same time. */
const catchingUpAtOnce = 4;

/** All streams that this process has open. */
export class Streams {
  readonly #parts: Parts;
  readonly #subscribers = new Set<Subscriber>();
  readonly #feeds = new Map<WorkspaceId, Feed>();
  readonly #confirmation = openConfirmation();
  readonly #inTurn = inTurns(catchingUpAtOnce);
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;
  #isClosed = false;
  #unfollow: (() => void) | undefined;
  #unfollowSignals: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    // A process that does nothing else may end.
    this.#timer = setInterval(() => void this.#look(), lookMs).unref();
  }

  /** Throws `unavailable` where there are too many, or the service stops. */
  refuseMore(): void {
    if (!this.#isClosed && this.#subscribers.size < streamsMax) return;
    throw new AppError('unavailable', {}, { headers: { 'retry-after': '1' } });
  }

  /** @param lastEventId the last event that the reader has, perhaps of another process; undefined or empty: from now on */
  open(response: ServerResponse, holder: Holder, lastEventId: string | undefined): Subscriber {
    this.#unfollow ??= this.#parts.live.follow((workspaceIds) => this.#hear(workspaceIds));
    // The gate has just looked.
    if (this.#subscribers.size === 0) this.#confirmation.confirm(performance.now());
    this.#makeRoom(holder);
    this.#unfollowSignals ??= this.#parts.live.followSignals((signal) => void this.#pass(signal));
    const position = lastEventId ? (decodePosition(lastEventId) ?? nowhere) : undefined;
    const subscriber = new Subscriber(response, holder, position);
    this.#subscribers.add(subscriber);
    response.on('close', () => this.#leave(subscriber));
    subscriber.write(`retry: ${retryMs()}\n\n`);
    this.#feedOf(holder.workspaceId).join(subscriber);
    return subscriber;
  }

  /** Ends all, and begins no more. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#unfollow?.();
    this.#unfollowSignals?.();
    for (const subscriber of this.#subscribers) subscriber.end();
    setTimeout(() => {
      for (const subscriber of this.#subscribers) subscriber.cut('service');
    }, leaveMsMax).unref();
  }

  /** So that nobody takes the place of all others, the oldest stream of who has very many gives way. */
  #makeRoom({ userId }: Holder): void {
    const own = [...this.#subscribers].filter(({ holder, isClosed }) => holder.userId === userId && !isClosed);
    if (own.length >= streamsOfOneMax) own[0]?.end();
  }

  #feedOf(workspaceId: WorkspaceId): Feed {
    let feed = this.#feeds.get(workspaceId);
    if (feed === undefined) {
      const { db, log } = this.#parts;
      const { confirmed } = this.#confirmation;
      feed = new Feed({ db, log, workspaceId, confirmed, inTurn: (work) => this.#inTurn(work, workspaceId) });
      this.#feeds.set(workspaceId, feed);
    }
    return feed;
  }

  #leave(subscriber: Subscriber): void {
    const { workspaceId } = subscriber.holder;
    this.#subscribers.delete(subscriber);
    const feed = this.#feeds.get(workspaceId);
    feed?.leave(subscriber);
    if (feed?.isUnused) this.#feeds.delete(workspaceId);
  }

  #hear(workspaceIds: readonly WorkspaceId[] | null): void {
    if (workspaceIds === null) void this.#look();
    else for (const workspaceId of workspaceIds) this.#feeds.get(workspaceId)?.wake();
  }

  /** Passes a signal on to the readers that still may read. */
  async #pass(signal: Signal): Promise<void> {
    const feed = this.#feeds.get(signal.workspaceId);
    if (feed === undefined || signal.isInternal === true) return;
    await this.#confirmation.confirmed();
    feed.pass(signal);
  }

  /** The regular look at everything: who may still read, and what no hint told of. */
  async #look(): Promise<void> {
    const { clock, log } = this.#parts;
    for (const subscriber of this.#subscribers) {
      if (subscriber.holder.expiresAtMs <= clock.now().getTime()) subscriber.end(new AppError('auth.token_expired'));
      subscriber.beat(performance.now());
    }
    if (this.#isLooking || this.#subscribers.size === 0) return;
    this.#isLooking = true;
    try {
      await this.#endWhoMayNot();
      await this.#wakeWhereNew();
    } catch (err) {
      log.warn({ err }, 'the streams could not be looked after');
    }
    this.#isLooking = false;
  }

  async #endWhoMayNot(): Promise<void> {
    const askedAtMs = performance.now();
    for (const { item, key } of await findEnded(this.#parts.db, [...this.#subscribers])) item.end(new AppError(key));
    this.#confirmation.confirm(askedAtMs);
  }

  async #wakeWhereNew(): Promise<void> {
    const readers = [...this.#feeds].flatMap(([workspaceId, { head }]) =>
      head === undefined ? [] : [{ workspaceId, head }],
    );
    for (const workspaceId of await findNews(this.#parts.db, readers)) this.#feeds.get(workspaceId)?.wake();
  }
}

const retryMsMin = 1_000;
const retryMsSpread = 2_000;

/** When a client comes back after its stream has ended: not all of them in the same instant. */
function retryMs(): number {
  return Math.round(retryMsMin + Math.random() * retryMsSpread);
}

function openConfirmation() {
  let confirmedAtMs = Number.NEGATIVE_INFINITY;
  let waiting: PromiseWithResolvers<void> | undefined;
  return {
    confirm: (atMs: number): void => {
      confirmedAtMs = atMs;
      waiting?.resolve();
      waiting = undefined;
    },
    confirmed: async (): Promise<void> => {
      // A look may take so long that it is old by its end.
      while (performance.now() - confirmedAtMs > confirmedMsMax) {
        waiting ??= Promise.withResolvers();
        await waiting.promise;
      }
    },
  };
}
