/** A Pub/Sub push subscription: one POST a message, repeated until acknowledged. */
import { Agent } from 'node:http';
import type { VirtualClock } from '../clock.ts';
import type { Random } from '../random.ts';
import { type DeliveryStatus, encodeData, type Message, type PushSettings, postTo } from './push-message.ts';

/** Shares (0 to 1) of messages or deliveries with a fault, drawn at random. */
export type PushFaults = {
  /** Gmail never publishes the message. */
  drop: number;
  /** Delivers the message again after its acknowledgement. */
  duplicate: number;
  /** Holds a message back until another has gone, for two seconds at most. */
  reorder: number;
  /** Loses the acknowledgement. */
  nack: number;
  /** Delays each message by a random time up to this. */
  delayMs: number;
};

export type PushEntry = {
  messageId: string;
  emailAddress: string;
  historyId: string;
  /** Null without a delivery. */
  status: DeliveryStatus | null;
  outcome: 'acknowledged' | 'refused' | 'dropped' | 'limited' | 'expired' | 'dead-lettered' | 'unroutable';
  attempt: number;
  latencyMs: number;
  at: string;
};

export type Push = {
  settings: PushSettings;
  faults: PushFaults;
  log: PushEntry[];
  publish(emailAddress: string, historyId: number): void;
  /** Logs a notification that the limit of the mailbox suppressed. */
  noteLimited(emailAddress: string, historyId: number): void;
  /** Resolves once no message waits for delivery. */
  settled(): Promise<void>;
  close(): void;
};

type PushOptions = {
  clock: VirtualClock;
  random: Random;
  token: () => string | undefined;
  settings: PushSettings;
};

/** Pub/Sub takes only these statuses as an acknowledgement. */
const acknowledging = new Set<DeliveryStatus>([102, 200, 201, 202, 204]);
const retentionMs = 7 * 24 * 3_600_000;
const backoffMs = { least: 100, most: 60_000 };
const heldBackMs = 2_000;
/** The latest time of a duplicate after its first delivery. */
const duplicateMs = 100;
const windowMost = 1_000;
const logMost = 200_000;

export function openPush({ clock, random, token, settings }: PushOptions): Push {
  const faults: PushFaults = { drop: 0, duplicate: 0, reorder: 0, nack: 0, delayMs: 0 };
  const agent = new Agent({ keepAlive: true });
  const log = openLog(clock);
  const post = (message: Message) => postTo(message, { clock, agent, settings, token: token() });
  const queue = openQueue({ clock, random, faults, settings, log, post });
  let published = 0;

  return {
    settings,
    faults,
    log: log.entries,
    publish: (emailAddress, historyId) => {
      published++;
      const id = String(2_070_443_601_000_000 + published * 17 + random.below(17));
      const data = encodeData({ emailAddress, historyId }, settings, random);
      const message = { id, emailAddress, historyId, publishedAt: clock.now().getTime(), data, attempts: 0 };
      if (settings.endpoint === undefined) return log.undelivered(message, 'unroutable');
      if (random.fraction() < faults.drop) return log.undelivered(message, 'dropped');
      queue.add(message);
    },
    noteLimited: (emailAddress, historyId) => log.undelivered({ id: '', emailAddress, historyId }, 'limited'),
    settled: queue.settled,
    close: () => {
      agent.destroy();
      queue.close();
    },
  };
}

type Log = ReturnType<typeof openLog>;

function openLog(clock: VirtualClock) {
  const entries: PushEntry[] = [];
  const enter = (entry: Omit<PushEntry, 'at' | 'historyId'> & { historyId: number }): void => {
    if (entries.length >= logMost) entries.splice(0, logMost / 2);
    entries.push({ ...entry, historyId: String(entry.historyId), at: clock.now().toISOString() });
  };
  return {
    entries,
    enter,
    undelivered: (message: Pick<Message, 'id' | 'emailAddress' | 'historyId'>, outcome: PushEntry['outcome']): void =>
      enter({ ...named(message), status: null, outcome, attempt: 0, latencyMs: 0 }),
  };
}

type QueueOptions = Pick<PushOptions, 'clock' | 'random' | 'settings'> & {
  faults: PushFaults;
  log: Log;
  post: (message: Message) => Promise<DeliveryStatus>;
};

function openQueue({ clock, random, faults, settings, log, post }: QueueOptions) {
  const waiting: Message[] = [];
  const idle: (() => void)[] = [];
  let underWay = 0;

  const queue = (message: Message): void => {
    waiting.push(message);
    pump();
  };
  const wake = (): void => {
    for (const resolve of idle.splice(0)) resolve();
  };
  const pump = (): void => {
    while (pace.allows(underWay)) {
      const message = waiting.shift();
      if (message === undefined) break;
      if (clock.now().getTime() - message.publishedAt > retentionMs) log.undelivered(message, 'expired');
      else void deliver(message);
    }
    if (waiting.length + underWay === 0 && delays.isEmpty()) wake();
  };
  const pace = openPace(clock, pump);
  const delays = openDelays({ clock, random, faults }, queue);
  const deliver = async (message: Message): Promise<void> => {
    underWay++;
    message.attempts++;
    const began = performance.now();
    const status = await post(message);
    underWay--;
    const isTaken = acknowledging.has(status) && random.fraction() >= faults.nack;
    const isDead = !isTaken && settings.deadLetterAfter !== null && message.attempts >= settings.deadLetterAfter;
    const outcome = isTaken ? 'acknowledged' : isDead ? 'dead-lettered' : 'refused';
    log.enter({ ...named(message), status, outcome, attempt: message.attempts, latencyMs: performance.now() - began });
    if (!isTaken && !isDead) waiting.push(message);
    if (isTaken) pace.quicken();
    else pace.slowDown();
    if (isTaken && random.fraction() < faults.duplicate) delays.queueLater(message, random.below(duplicateMs));
    pump();
  };

  return {
    add: delays.add,
    settled: () =>
      new Promise<void>((resolve) => {
        idle.push(resolve);
        pump();
      }),
    close: () => {
      pace.stop();
      wake();
    },
  };
}

/** Queues messages, late or reordered if the faults ask for it. */
function openDelays(
  { clock, random, faults }: Pick<QueueOptions, 'clock' | 'random' | 'faults'>,
  queue: (message: Message) => void,
) {
  let heldBack: Message | undefined;
  let late = 0;
  const queueLater = (message: Message, ms: number): void => {
    late++;
    clock.after(ms, () => {
      late--;
      queue(message);
    });
  };
  const release = (): void => {
    const held = heldBack;
    heldBack = undefined;
    if (held !== undefined) queue(held);
  };
  return {
    isEmpty: (): boolean => late === 0 && heldBack === undefined,
    queueLater,
    add: (message: Message): void => {
      if (heldBack === undefined && random.fraction() < faults.reorder) {
        heldBack = message;
        clock.after(heldBackMs, () => heldBack === message && release());
        return;
      }
      if (faults.delayMs > 0) queueLater(message, random.below(faults.delayMs));
      else queue(message);
      release();
    },
  };
}

/** The pace of the whole subscription, over all mailboxes: a slow start, and a pause after a refusal. */
function openPace(clock: VirtualClock, onResume: () => void) {
  /** How many deliveries may run at once. */
  let windowSize = 10;
  let backoff = 0;
  let isPaused = false;
  return {
    allows: (underWay: number): boolean => !isPaused && underWay < windowSize,
    quicken: (): void => {
      backoff = 0;
      windowSize = Math.min(windowMost, windowSize + 1);
    },
    slowDown: (): void => {
      // Deliveries that ran together fail together, so their refusals count once.
      if (isPaused) return;
      backoff = Math.min(backoffMs.most, Math.max(backoffMs.least, backoff * 2));
      windowSize = Math.max(1, Math.floor(windowSize / 2));
      isPaused = true;
      clock.after(backoff, () => {
        isPaused = false;
        onResume();
      });
    },
    stop: (): void => {
      isPaused = true;
    },
  };
}

function named({ id, emailAddress, historyId }: Pick<Message, 'id' | 'emailAddress' | 'historyId'>) {
  return { messageId: id, emailAddress, historyId };
}
