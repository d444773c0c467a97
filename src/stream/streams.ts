import type { ServerResponse } from 'node:http';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { inTurns } from '../lib/in-turns.ts';
import type { Queryable } from '../platform/db.ts';
import type { Live } from '../platform/live.ts';
import type { Logger } from '../platform/log.ts';
import { type Feed, openFeed } from './feed.ts';
import { findEnded } from './find-ended.ts';
import { decodePosition, startOf } from './position.ts';
import { findNews } from './read-facts.ts';
import { type Holder, Subscriber } from './subscriber.ts';

/** All streams that this process has open. */
export type Streams = {
  /** Throws `unavailable` where there are too many, or the service stops. */
  refuseMore(): void;
  /** @param lastEventId the last event that the reader has, perhaps of another process; undefined or empty: from now on */
  open(response: ServerResponse, holder: Holder, lastEventId: string | undefined): Subscriber;
  /** Ends all, and begins no more. */
  close(): void;
};

export type StreamsParts = { db: Queryable; live: Live; clock: Clock; log: Logger };

/** What ends a stream is to end it within a second. */
const lookMs = 500;
/** Nothing is told on the strength of an older look at who may read. */
const confirmedMsMax = 1_000;
const streamsMax = 5_000;
/** Of streams that catch up, so many read at once: of a process that died all come at the same time. */
const catchingUpAtOnce = 4;

export function openStreams({ db, live, clock, log }: StreamsParts): Streams {
  const subscribers = new Set<Subscriber>();
  const feeds = new Map<WorkspaceId, Feed>();
  const inTurn = inTurns(catchingUpAtOnce);
  const confirmation = openConfirmation();
  let isClosed = false;
  let isLooking = false;
  let unfollow: (() => void) | undefined;

  /** The regular look at everything: who may still read, and what no hint told of. */
  const look = async (): Promise<void> => {
    for (const subscriber of subscribers) {
      if (subscriber.holder.expiresAtMs <= clock.now().getTime()) subscriber.end(new AppError('auth.token_expired'));
      else subscriber.beat();
    }
    if (isLooking || subscribers.size === 0) return;
    isLooking = true;
    try {
      const askedAtMs = performance.now();
      for (const { item, key } of await findEnded(db, [...subscribers])) item.end(new AppError(key));
      confirmation.confirm(askedAtMs);
      const readers = [...feeds].flatMap(([workspaceId, feed]) => {
        const head = feed.head();
        return head === undefined ? [] : [{ workspaceId, head }];
      });
      for (const workspaceId of await findNews(db, readers)) feeds.get(workspaceId)?.wake();
    } catch (err) {
      log.warn({ err }, 'the streams could not be looked after');
    }
    isLooking = false;
  };
  // A process that does nothing else may end.
  const timer = setInterval(() => void look(), lookMs).unref();

  const feedOf = (workspaceId: WorkspaceId): Feed => {
    let feed = feeds.get(workspaceId);
    if (feed === undefined) {
      feed = openFeed({ db, log, workspaceId, confirmed: confirmation.confirmed, inTurn });
      feeds.set(workspaceId, feed);
    }
    return feed;
  };
  const leave = (subscriber: Subscriber): void => {
    const { workspaceId } = subscriber.holder;
    subscribers.delete(subscriber);
    const feed = feeds.get(workspaceId);
    feed?.leave(subscriber);
    if (feed?.isUnused()) feeds.delete(workspaceId);
  };

  return {
    refuseMore: () => {
      if (!isClosed && subscribers.size < streamsMax) return;
      throw new AppError('unavailable', {}, { headers: { 'retry-after': '1' } });
    },
    open: (response, holder, lastEventId) => {
      unfollow ??= live.follow((workspaceIds) => {
        if (workspaceIds === null) void look();
        else for (const workspaceId of workspaceIds) feeds.get(workspaceId)?.wake();
      });
      // The gate has just looked.
      if (subscribers.size === 0) confirmation.confirm(performance.now());
      // What is no id of ours is of no history that there ever was.
      const position = lastEventId ? (decodePosition(lastEventId) ?? startOf('', 0n)) : undefined;
      const subscriber = new Subscriber(response, holder, position);
      subscribers.add(subscriber);
      response.on('close', () => leave(subscriber));
      subscriber.write(`retry: ${retryMs()}\n\n`);
      feedOf(holder.workspaceId).join(subscriber);
      return subscriber;
    },
    close: () => {
      isClosed = true;
      clearInterval(timer);
      unfollow?.();
      for (const subscriber of subscribers) subscriber.end();
    },
  };
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
      if (performance.now() - confirmedAtMs <= confirmedMsMax) return;
      waiting ??= Promise.withResolvers();
      await waiting.promise;
    },
  };
}
