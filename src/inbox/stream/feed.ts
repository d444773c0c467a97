import { isBefore, nowhere, type ReaderPosition } from '../../events/activity/position.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import type { Signal } from '../../ground/database/signals.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import type { Logger } from '../../ground/platform/log.ts';
import { visibleAmong } from '../../helpdesk/tickets/queries.ts';
import { block, eventsFor, eventsOf } from './events.ts';
import { type FactsPage, isOfHistory, readFacts, readNow } from './read-facts.ts';
import type { Subscriber } from './subscriber.ts';

export type FeedParts = {
  db: Queryable;
  log: Logger;
  scope: Scope;
  /** Resolves once a recent check has confirmed who may still read. */
  confirmed: () => Promise<void>;
  /** Limits how many streams catch up at once. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/**
 * When to read again if an older transaction holds facts back. The delays are short, because most transactions end
 * soon. After these attempts the regular check finds the facts.
 */
const heldBackMs = [30, 60, 120, 240];

/** The streams of one scope in this process. One reader reads the facts for all of them. */
export class Feed {
  readonly #parts: FeedParts;
  readonly #subscribers = new Set<Subscriber>();
  /** The subscribers that have everything up to the head. Each other subscriber catches up separately. */
  readonly #current = new Set<Subscriber>();
  #head: ReaderPosition | undefined;
  #beginning: Promise<ReaderPosition> | undefined;
  #isReading = false;
  #isWanted = false;
  #heldBackLooks = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** The position up to which the feed has read; undefined before the first read. */
  get head(): ReaderPosition | undefined {
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

  /**
   * Writes a signal to its readers, unless it tells of a ticket that they do not see. Only `team` does tell of those:
   * it names one that they see no more. A reader with a full buffer misses it: the signal would be outdated by then.
   */
  async pass({ userId, event, data }: Signal): Promise<void> {
    const { ticketId = null } = data as { ticketId?: TicketId | null };
    const { db, scope } = this.#parts;
    if (ticketId !== null && (await visibleAmong(db, scope, [ticketId])).has(ticketId) === (event === 'team')) return;
    const text = block({ event, data });
    for (const subscriber of this.#subscribers) {
      const isMeant = userId === null || userId === subscriber.holder.userId;
      if (isMeant && !subscriber.isFull) subscriber.write(text);
    }
  }

  /** Starts reading new facts, or makes a running read continue. */
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
      const { log, scope } = this.#parts;
      log.warn(
        { err, workspaceId: scope.workspaceId },
        'the new facts of a workspace could not be read for its streams',
      );
    }
    this.#isReading = false;
  }

  async #read(): Promise<void> {
    const { db, scope, confirmed } = this.#parts;
    const after = await this.#findHead();
    const page = await readFacts(db, scope, after);
    // Confirms after the read, because the read may have waited long for the database.
    await confirmed();
    if (page.end.epoch !== after.epoch || this.#head !== after) {
      this.#beginAt(page.end);
      this.#isWanted = true;
      return;
    }
    this.#head = page.end;
    writePage(this.#current, page, after);
    for (const subscriber of this.#current) if (subscriber.isFull) this.#letBehind(subscriber);
    if (page.hasMore) this.#isWanted = true;
    this.#lookAgain(page);
  }

  #findHead(): ReaderPosition | Promise<ReaderPosition> {
    if (this.#head !== undefined) return this.#head;
    this.#beginning ??= readNow(this.#parts.db)
      .then((position) => this.#beginAt(position))
      .finally(() => {
        this.#beginning = undefined;
      });
    return this.#beginning;
  }

  /** Begins at a position. Resets all current subscribers if the database's history has changed. */
  #beginAt(position: ReaderPosition): ReaderPosition {
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

  /** A slow reader catches up separately at its own speed, so that its unread events do not pile up in memory. */
  #letBehind(subscriber: Subscriber): void {
    this.#current.delete(subscriber);
    void this.#catchUp(subscriber, false);
  }

  async #catchUp(subscriber: Subscriber, isNew: boolean): Promise<void> {
    const { db, log, scope, confirmed, inTurn } = this.#parts;
    try {
      if (isNew) await this.#recognise(subscriber);
      while (!subscriber.isClosed) {
        await subscriber.drained();
        const position = this.#place(subscriber, await this.#findHead());
        if (position === undefined) return;
        const page = await inTurn(() => readFacts(db, scope, position));
        await confirmed();
        if (page.end.epoch === position.epoch) writePage([subscriber], page, position);
        else this.#beginAt(page.end);
      }
    } catch (err) {
      log.warn({ err, workspaceId: scope.workspaceId }, 'a stream could not resume and was ended');
      subscriber.end();
    }
  }

  /**
   * Discards a reader's position that is not part of this history, even if the epoch matches: a data folder restored
   * from a copy keeps its epoch.
   */
  async #recognise(subscriber: Subscriber): Promise<void> {
    const { db, scope, inTurn } = this.#parts;
    const { position } = subscriber;
    if (position === undefined || (await inTurn(() => isOfHistory(db, scope.workspaceId, position)))) return;
    subscriber.position = nowhere;
  }

  /**
   * Lets a stream that has caught up join the current streams. Runs synchronously, so that no facts arrive in between.
   * @param found the head, which may have moved on since
   * @returns the position from which the stream must catch up, if it must
   */
  #place(subscriber: Subscriber, found: ReaderPosition): ReaderPosition | undefined {
    const head = this.#head ?? found;
    if (subscriber.position === undefined) subscriber.beginAt(head);
    else if (subscriber.position.epoch !== head.epoch) subscriber.resetTo(head);
    const position = subscriber.position ?? head;
    if (isBefore(position, head)) return position;
    // A stream may have got more from another process than this process has read. Such a stream keeps its position.
    if (!isBefore(head, position)) subscriber.position = head;
    if (this.#subscribers.has(subscriber)) this.#current.add(subscriber);
    return undefined;
  }
}

/** Writes a page, read after the position `after`, to streams. Text that many streams share is built once. */
function writePage(subscribers: Iterable<Subscriber>, { facts, end }: FactsPage, after: ReaderPosition): void {
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
