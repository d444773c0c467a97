import type { ServerResponse } from 'node:http';
import { decodePosition, nowhere } from '../../events/activity/position.ts';
import type { Scope, Sight } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import type { Live } from '../../ground/database/live.ts';
import type { Signal } from '../../ground/database/signals.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import type { Logger } from '../../ground/platform/log.ts';
import { Feed, type FeedParts } from './feed.ts';
import { findEnded } from './find-ended.ts';
import { findNews } from './read-facts.ts';
import { streamToEnd } from './share-streams.ts';
import { type StreamHolder, Subscriber } from './subscriber.ts';

type StreamParts = { db: Queryable; live: Live; clock: Clock; log: Logger };

/** A lost right must end a stream within a second, so the check runs twice a second. */
const lookMs = 500;
/** No event is written if the last check of who may read is older than this. */
const confirmedMsMax = 1_000;
const streamsMax = 5_000;
/** More than one person needs. Some streams on a lost network are only noticed after a quarter of an hour. */
const streamsOfOneMax = 100;
/** How long a stop waits for readers to receive the end of their streams. */
const leaveMsMax = 1_000;
/** How many streams catch up at once, workspaces in turn: all streams of a process that died reconnect together. */
const catchingUpAtOnce = 4;

/** All streams that this process has open. */
export class Streams {
  readonly #parts: StreamParts;
  readonly #subscribers = new Set<Subscriber>();
  /** The readers of a workspace, grouped by what they see. */
  readonly #feeds = new Map<WorkspaceId, Map<Sight, Feed>>();
  readonly #confirmation = openConfirmation();
  readonly #inTurn = inTurns(catchingUpAtOnce);
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;
  #isClosed = false;
  #unfollow: (() => void) | undefined;
  #unfollowSignals: (() => void) | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    // The timer must not keep the process alive.
    this.#timer = setInterval(() => void this.#look(), lookMs).unref();
  }

  /** Throws `unavailable` when there are too many streams, even of a workspace with few, or when the service stops. */
  refuseMore(workspaceId: WorkspaceId): void {
    const toEnd = this.#isClosed ? undefined : streamToEnd(this.#subscribers, workspaceId, streamsMax);
    if (toEnd !== undefined) {
      toEnd?.end();
      return;
    }
    throw new AppError('unavailable', {}, { headers: { 'retry-after': '1' } });
  }

  /** @param lastEventId the reader's last event, maybe from another process; undefined or empty means from now on */
  open(response: ServerResponse, holder: StreamHolder, lastEventId: string | undefined): Subscriber {
    this.#unfollow ??= this.#parts.live.follow((workspaceIds) => this.#hear(workspaceIds));
    // The route has just checked this reader.
    if (this.#subscribers.size === 0) this.#confirmation.confirm(performance.now());
    this.#makeRoom(holder);
    this.#unfollowSignals ??= this.#parts.live.followSignals((signal) => void this.#pass(signal));
    const position = lastEventId ? (decodePosition(lastEventId) ?? nowhere) : undefined;
    const subscriber = new Subscriber(response, holder, position);
    this.#subscribers.add(subscriber);
    response.on('close', () => this.#leave(subscriber));
    subscriber.write(`retry: ${retryMs()}\n\n`);
    this.#feedOf(holder).join(subscriber);
    return subscriber;
  }

  /** Ends all streams and refuses new streams. */
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

  /** Ends the oldest stream of a person with too many, so that nobody can use up the limit for all. */
  #makeRoom({ userId }: StreamHolder): void {
    const own = [...this.#subscribers].filter(({ holder, isClosed }) => holder.userId === userId && !isClosed);
    if (own.length >= streamsOfOneMax) own[0]?.end();
  }

  #feedOf({ workspaceId, sight }: Scope): Feed {
    const feeds = this.#feeds.get(workspaceId) ?? new Map<Sight, Feed>();
    this.#feeds.set(workspaceId, feeds);
    let feed = feeds.get(sight);
    if (feed === undefined) {
      const { db, log } = this.#parts;
      const { confirmed } = this.#confirmation;
      const inTurn: FeedParts['inTurn'] = (work) => this.#inTurn(work, workspaceId);
      feed = new Feed({ db, log, scope: { workspaceId, sight }, confirmed, inTurn });
      feeds.set(sight, feed);
    }
    return feed;
  }

  #feedsOf(workspaceId: WorkspaceId): Feed[] {
    return [...(this.#feeds.get(workspaceId)?.values() ?? [])];
  }

  #leave(subscriber: Subscriber): void {
    const { workspaceId, sight } = subscriber.holder;
    this.#subscribers.delete(subscriber);
    const feeds = this.#feeds.get(workspaceId);
    const feed = feeds?.get(sight);
    feed?.leave(subscriber);
    if (feed?.isUnused) feeds?.delete(sight);
    if (feeds?.size === 0) this.#feeds.delete(workspaceId);
  }

  #hear(workspaceIds: readonly WorkspaceId[] | null): void {
    if (workspaceIds === null) void this.#look();
    else this.#wake(workspaceIds);
  }

  /** Passes a signal on to the readers that may still read. */
  async #pass(signal: Signal): Promise<void> {
    const feeds = this.#feedsOf(signal.workspaceId);
    if (feeds.length === 0 || signal.isInternal === true) return;
    await this.#confirmation.confirmed();
    try {
      for (const feed of feeds) await feed.pass(signal);
    } catch (err) {
      this.#parts.log.warn({ err }, 'a signal could not be passed to the streams');
    }
  }

  /** The regular check: ends streams without the right to read, and finds facts whose hint was lost. */
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
      log.warn({ err }, 'the regular check of the streams failed');
    }
    this.#isLooking = false;
  }

  async #endWhoMayNot(): Promise<void> {
    const askedAtMs = performance.now();
    for (const { item, key } of await findEnded(this.#parts.db, [...this.#subscribers]))
      item.end(key === null ? undefined : new AppError(key));
    this.#confirmation.confirm(askedAtMs);
  }

  async #wakeWhereNew(): Promise<void> {
    const readers = [...this.#feeds].flatMap(([workspaceId, feeds]) =>
      [...feeds.values()].flatMap(({ head }) => (head === undefined ? [] : [{ workspaceId, head }])),
    );
    this.#wake(await findNews(this.#parts.db, readers));
  }

  #wake(workspaceIds: readonly WorkspaceId[]): void {
    for (const workspaceId of workspaceIds) for (const feed of this.#feedsOf(workspaceId)) feed.wake();
  }
}

const retryMsMin = 1_000;
const retryMsSpread = 2_000;

/** When a client reconnects after its stream has ended. Random, so that clients do not all return at once. */
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
      // A check may take so long that its result is outdated at its end.
      while (performance.now() - confirmedAtMs > confirmedMsMax) {
        waiting ??= Promise.withResolvers();
        await waiting.promise;
      }
    },
  };
}
