import type { Queryable } from '../database/db.ts';
import type { Signal } from '../database/signals.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Logger } from '../platform/log.ts';
import { block, eventsFor, eventsOf } from './events.ts';
import { isBefore, nowhere, type Position } from './position.ts';
import { type FactsPage, isOfHistory, readFacts, readNow } from './read-facts.ts';
import type { Subscriber } from './subscriber.ts';

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

/** The streams of one workspace in this process, and the one reader that reads for all of them. */
export class Feed {
  readonly #parts: FeedParts;
  readonly #subscribers = new Set<Subscriber>();
  /** Those who have everything up to the head. The others catch up, each for itself. */
  readonly #current = new Set<Subscriber>();
  #head: Position | undefined;
  #beginning: Promise<Position> | undefined;
  #isReading = false;
  #isWanted = false;
  #heldBackLooks = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Up to where it has read; undefined before its first look. */
  get head(): Position | undefined {
    return this.#head;
  }

  get isUnused(): boolean {
    return this.#subscribers.size === 0;
  }

  join(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    void this.#catchUp(subscriber, true);
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.#current.delete(subscriber);
  }

  /** Writes a signal to its readers. A reader whose buffer is full misses it: it would be outdated by then. */
  pass({ userId, event, data }: Signal): void {
    const text = block({ event, data });
    for (const subscriber of this.#subscribers) {
      const isMeant = userId === null || userId === subscriber.holder.userId;
      if (isMeant && !subscriber.isFull) subscriber.write(text);
    }
  }

  /** Has it look for what is new. */
  wake(): void {
    this.#isWanted = true;
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isWanted && !this.isUnused) {
        this.#isWanted = false;
        await this.#read();
      }
    } catch (err) {
      const { log, workspaceId } = this.#parts;
      log.warn({ err, workspaceId }, 'what is new in a workspace could not be read for its streams');
    }
    this.#isReading = false;
  }

  async #read(): Promise<void> {
    const { db, workspaceId, confirmed } = this.#parts;
    const after = await this.#findHead();
    const page = await readFacts(db, workspaceId, after);
    // Not before: it may have waited for the database.
    await confirmed();
    if (page.end.epoch !== after.epoch || this.#head !== after) {
      this.#beginAt(page.end);
      this.#isWanted = true;
      return;
    }
    this.#head = page.end;
    tell(this.#current, page, after);
    for (const subscriber of this.#current) if (subscriber.isFull) this.#letBehind(subscriber);
    if (page.hasMore) this.#isWanted = true;
    this.#lookAgain(page);
  }

  #findHead(): Position | Promise<Position> {
    if (this.#head !== undefined) return this.#head;
    this.#beginning ??= readNow(this.#parts.db)
      .then((position) => this.#beginAt(position))
      .finally(() => {
        this.#beginning = undefined;
      });
    return this.#beginning;
  }

  /** Begins, also anew where the database's history is another one than before. */
  #beginAt(position: Position): Position {
    if (this.#head?.epoch === position.epoch) return this.#head;
    this.#head = position;
    for (const subscriber of this.#current) subscriber.resetTo(position);
    return position;
  }

  #lookAgain({ isHeldBack, facts }: FactsPage): void {
    if (!isHeldBack || facts.length > 0) this.#heldBackLooks = 0;
    const waitMs = heldBackMs[this.#heldBackLooks];
    if (!isHeldBack || waitMs === undefined) return;
    this.#heldBackLooks++;
    setTimeout(() => this.wake(), waitMs).unref();
  }

  /** What a slow reader has not taken is not piled up here: it goes on for itself, as it takes it. */
  #letBehind(subscriber: Subscriber): void {
    this.#current.delete(subscriber);
    void this.#catchUp(subscriber, false);
  }

  async #catchUp(subscriber: Subscriber, isNew: boolean): Promise<void> {
    const { db, log, workspaceId, confirmed, inTurn } = this.#parts;
    try {
      if (isNew) await this.#recognise(subscriber);
      while (!subscriber.isClosed) {
        await subscriber.drained();
        const position = this.#place(subscriber, await this.#findHead());
        if (position === undefined) return;
        const page = await inTurn(() => readFacts(db, workspaceId, position));
        await confirmed();
        if (page.end.epoch === position.epoch) tell([subscriber], page, position);
        else this.#beginAt(page.end);
      }
    } catch (err) {
      log.warn({ err, workspaceId }, 'a stream could not go on where it was, and is ended');
      subscriber.end();
    }
  }

  /** Where a reader says it was may be of another history, though of the same epoch: a folder put back from a copy tells no difference. */
  async #recognise(subscriber: Subscriber): Promise<void> {
    const { db, workspaceId, inTurn } = this.#parts;
    const { position } = subscriber;
    if (position === undefined || (await inTurn(() => isOfHistory(db, workspaceId, position)))) return;
    subscriber.position = nowhere;
  }

  /**
   * Lets a stream that has all join the others, at once, so that nothing is told in between.
   * @param found the head, or one that has been moved on since
   * @returns from where it must catch up, if it must
   */
  #place(subscriber: Subscriber, found: Position): Position | undefined {
    const head = this.#head ?? found;
    if (subscriber.position === undefined) subscriber.beginAt(head);
    else if (subscriber.position.epoch !== head.epoch) subscriber.resetTo(head);
    const position = subscriber.position ?? head;
    if (isBefore(position, head)) return position;
    // One that another process told more than this one has read keeps its place.
    if (!isBefore(head, position)) subscriber.position = head;
    if (this.#subscribers.has(subscriber)) this.#current.add(subscriber);
    return undefined;
  }
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
