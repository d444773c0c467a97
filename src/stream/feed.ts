import type { WorkspaceId } from '../lib/ids.ts';
import type { Queryable } from '../platform/db.ts';
import type { Logger } from '../platform/log.ts';
import { eventsFor, eventsOf } from './events.ts';
import { isBefore, type Position } from './position.ts';
import { type FactsPage, readFacts, readNow } from './read-facts.ts';
import type { Subscriber } from './subscriber.ts';

/** The streams of one workspace in this process, and the one reader that reads for all of them. */
export type Feed = {
  /** Up to where it has read; undefined before its first look. */
  head(): Position | undefined;
  isUnused(): boolean;
  join(subscriber: Subscriber): void;
  leave(subscriber: Subscriber): void;
  /** Has it look for what is new. */
  wake(): void;
};

export type FeedParts = {
  db: Queryable;
  log: Logger;
  workspaceId: WorkspaceId;
  /** Resolves once it is known who may still read. */
  confirmed: () => Promise<void>;
  /** The gate for readers that read for one stream alone. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/**
 * When to look again for what an older transaction holds back: soon, for most end at once; after these looks it is found by
 * the regular one, as anything is.
 */
const heldBackMs = [30, 60, 120, 240];

export function openFeed({ db, log, workspaceId, confirmed, inTurn }: FeedParts): Feed {
  const subscribers = new Set<Subscriber>();
  /** Those who have everything up to the head. The others catch up, each for itself. */
  const current = new Set<Subscriber>();
  let head: Position | undefined;
  let beginning: Promise<Position> | undefined;
  let isReading = false;
  let isWanted = false;
  let heldBackLooks = 0;

  /** Begins, also anew where the database's history is another one than before. */
  const beginAt = (position: Position): Position => {
    if (head?.epoch === position.epoch) return head;
    head = position;
    for (const subscriber of current) subscriber.resetTo(position);
    return position;
  };
  const findHead = (): Position | Promise<Position> => {
    if (head !== undefined) return head;
    beginning ??= readNow(db)
      .then(beginAt)
      .finally(() => {
        beginning = undefined;
      });
    return beginning;
  };

  const wake = (): void => {
    isWanted = true;
    if (!isReading) void readOn();
  };
  const readOn = async (): Promise<void> => {
    isReading = true;
    try {
      while (isWanted && subscribers.size > 0) {
        isWanted = false;
        await read();
      }
    } catch (err) {
      log.warn({ err, workspaceId }, 'what is new in a workspace could not be read for its streams');
    }
    isReading = false;
  };
  const read = async (): Promise<void> => {
    const after = await findHead();
    await confirmed();
    const page = await readFacts(db, workspaceId, after);
    if (page.end.epoch !== after.epoch || head !== after) {
      beginAt(page.end);
      isWanted = true;
      return;
    }
    head = page.end;
    tell(current, page, after);
    for (const subscriber of current) if (subscriber.isFull) letBehind(subscriber);
    if (page.hasMore) isWanted = true;
    lookAgain(page);
  };
  const lookAgain = ({ isHeldBack, facts }: FactsPage): void => {
    if (!isHeldBack || facts.length > 0) heldBackLooks = 0;
    const waitMs = heldBackMs[heldBackLooks];
    if (!isHeldBack || waitMs === undefined) return;
    heldBackLooks++;
    setTimeout(wake, waitMs).unref();
  };

  /** What a slow reader has not taken is not piled up here: it goes on for itself, as it takes it. */
  const letBehind = (subscriber: Subscriber): void => {
    current.delete(subscriber);
    void catchUp(subscriber);
  };
  const catchUp = async (subscriber: Subscriber): Promise<void> => {
    try {
      while (!subscriber.isClosed) {
        await subscriber.drained();
        await findHead();
        const position = place(subscriber);
        if (position === undefined) return;
        await confirmed();
        const page = await inTurn(() => readFacts(db, workspaceId, position));
        if (page.end.epoch === position.epoch) tell([subscriber], page, position);
        else beginAt(page.end);
      }
    } catch (err) {
      log.warn({ err, workspaceId }, 'a stream could not go on where it was, and is ended');
      subscriber.end();
    }
  };
  /**
   * Lets a stream that has all join the others, at once, so that nothing is told in between.
   * @returns from where it must catch up, if it must
   */
  const place = (subscriber: Subscriber): Position | undefined => {
    // A head there is: it was waited for.
    const now = head as Position;
    if (subscriber.position === undefined) subscriber.beginAt(now);
    else if (subscriber.position.epoch !== now.epoch) subscriber.resetTo(now);
    const position = subscriber.position ?? now;
    if (isBefore(position, now)) return position;
    // One that another process told more than this one has read keeps its place.
    if (!isBefore(now, position)) subscriber.position = now;
    if (subscribers.has(subscriber)) current.add(subscriber);
    return undefined;
  };

  return {
    head: () => head,
    isUnused: () => subscribers.size === 0,
    join: (subscriber) => {
      subscribers.add(subscriber);
      void catchUp(subscriber);
    },
    leave: (subscriber) => {
      subscribers.delete(subscriber);
      current.delete(subscriber);
    },
    wake,
  };
}

/** Tells streams of a page that was read from behind `after`. What is the same for many is made once. */
function tell(subscribers: Iterable<Subscriber>, { facts, end }: FactsPage, after: Position): void {
  const notified = new Set(facts.flatMap(({ notifications }) => notifications.map(({ userId }) => userId)));
  let same: Buffer | undefined;
  for (const subscriber of subscribers) {
    const { userId } = subscriber.holder;
    const position = subscriber.position ?? after;
    const isAtPage = position === after && after.part === 'notification';
    if (isAtPage && !notified.has(userId)) {
      same ??= Buffer.from(eventsOf(after.epoch, facts));
      subscriber.write(same);
    } else subscriber.write(eventsFor(userId, position, facts));
    if (isBefore(position, end)) subscriber.position = end;
  }
}
