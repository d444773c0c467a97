/** A Pub/Sub push subscription: one POST a message, again until it is acknowledged. */
import { Agent, request as httpRequest } from 'node:http';
import type { VirtualClock } from './clock.ts';
import type { Random } from './random.ts';

export type PushSettings = {
  /** Where pushes go; none go while it is undefined. */
  endpoint: string | undefined;
  /** By default the endpoint. */
  audience: string | undefined;
  /** Also the time that the endpoint has for its answer. */
  ackDeadlineMs: number;
  /** Gives up after so many attempts, which pushes then count aloud. */
  deadLetterAfter: number | null;
  /** Gmail's own documentation has it the one way, the wire mostly the other. */
  historyIdAs: 'string' | 'number' | 'either';
  base64: 'standard' | 'url-safe';
};

/** Parts of all messages or deliveries that something befalls, by chance. */
export type PushFaults = {
  /** Gmail never publishes it. */
  drop: number;
  /** Delivered once more though it was acknowledged. */
  duplicate: number;
  /** Held back until another has gone, two seconds at most. */
  reorder: number;
  /** The acknowledgement is lost. */
  nack: number;
  /** Delivered that much later, chance having its say up to the whole. */
  delayMs: number;
};

export type PushEntry = {
  messageId: string;
  emailAddress: string;
  historyId: string;
  /** Null where there was no delivery. */
  status: number | 'timeout' | 'broken' | null;
  outcome: 'acknowledged' | 'refused' | 'dropped' | 'limited' | 'expired' | 'dead-lettered' | 'unroutable';
  attempt: number;
  latencyMs: number;
  at: string;
};

type Message = {
  id: string;
  emailAddress: string;
  historyId: number;
  publishedAt: number;
  data: string;
  attempts: number;
};

export type Push = {
  settings: PushSettings;
  faults: PushFaults;
  log: PushEntry[];
  publish(emailAddress: string, historyId: number): void;
  /** Notes one that never came to be: over the limit of a mailbox. */
  noteLimited(emailAddress: string, historyId: number): void;
  /** Resolves once nothing waits to be delivered. */
  settled(): Promise<void>;
  close(): void;
};

type PushOptions = {
  clock: VirtualClock;
  random: Random;
  token: () => string | undefined;
  settings: PushSettings;
};

const subscription = 'projects/kontor/subscriptions/mail';
/** Pub/Sub's: no other status acknowledges. */
const acknowledging = new Set<PushEntry['status']>([102, 200, 201, 202, 204]);
const retentionMs = 7 * 24 * 3_600_000;
const backoffMs = { least: 100, most: 60_000 };
const heldBackMs = 2_000;
/** How long after the first a duplicate comes at most. */
const duplicateMs = 100;
const windowMost = 1_000;
const logMost = 200_000;

export function openPush({ clock, random, token, settings }: PushOptions): Push {
  const faults: PushFaults = { drop: 0, duplicate: 0, reorder: 0, nack: 0, delayMs: 0 };
  const log: PushEntry[] = [];
  const waiting: Message[] = [];
  const agent = new Agent({ keepAlive: true });
  const idle: (() => void)[] = [];
  let heldBack: Message | undefined;
  let published = 0;
  let late = 0;
  let underWay = 0;
  /** Slow start: how many may be under way at once. */
  let windowSize = 10;
  /** Of the whole subscription, for every mailbox. */
  let backoff = 0;
  let isPaused = false;

  const enter = (entry: Omit<PushEntry, 'at' | 'historyId'> & { historyId: number }): void => {
    if (log.length >= logMost) log.splice(0, logMost / 2);
    log.push({ ...entry, historyId: String(entry.historyId), at: clock.now().toISOString() });
  };
  const undelivered = (message: Pick<Message, 'id' | 'emailAddress' | 'historyId'>, outcome: PushEntry['outcome']) =>
    enter({ ...named(message), status: null, outcome, attempt: 0, latencyMs: 0 });
  const queue = (message: Message): void => {
    waiting.push(message);
    pump();
  };
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
  const pump = (): void => {
    while (!isPaused && underWay < windowSize) {
      const message = waiting.shift();
      if (message === undefined) break;
      if (clock.now().getTime() - message.publishedAt > retentionMs) undelivered(message, 'expired');
      else void deliver(message);
    }
    if (waiting.length + underWay + late === 0 && heldBack === undefined) for (const wake of idle.splice(0)) wake();
  };
  const deliver = async (message: Message): Promise<void> => {
    underWay++;
    message.attempts++;
    const began = performance.now();
    const status = await post(message);
    underWay--;
    const isTaken = acknowledging.has(status) && random.fraction() >= faults.nack;
    const isDead = !isTaken && settings.deadLetterAfter !== null && message.attempts >= settings.deadLetterAfter;
    const outcome = isTaken ? 'acknowledged' : isDead ? 'dead-lettered' : 'refused';
    enter({ ...named(message), status, outcome, attempt: message.attempts, latencyMs: performance.now() - began });
    if (isTaken) acknowledge(message);
    else refuse(message, isDead);
    pump();
  };
  const acknowledge = (message: Message): void => {
    backoff = 0;
    windowSize = Math.min(windowMost, windowSize + 1);
    if (random.fraction() < faults.duplicate) queueLater(message, random.below(duplicateMs));
  };
  const refuse = (message: Message, isDead: boolean): void => {
    if (!isDead) waiting.push(message);
    // What was under way together is refused together: that counts once.
    if (isPaused) return;
    backoff = Math.min(backoffMs.most, Math.max(backoffMs.least, backoff * 2));
    windowSize = Math.max(1, Math.floor(windowSize / 2));
    isPaused = true;
    clock.after(backoff, () => {
      isPaused = false;
      pump();
    });
  };
  /** @returns the status, 102 where that is what comes first */
  const post = (message: Message): Promise<PushEntry['status']> => {
    const { endpoint, ackDeadlineMs } = settings;
    if (endpoint === undefined) return Promise.resolve('broken');
    const body = JSON.stringify(envelopeOf(message, settings));
    const bearer = token();
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'CloudPubSub-Google',
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    };
    return new Promise((resolve) => {
      const sent = httpRequest(endpoint, { method: 'POST', headers, agent });
      const callOff = clock.after(ackDeadlineMs, () => end('timeout'));
      const end = (status: PushEntry['status']): void => {
        callOff();
        resolve(status);
        if (status === 'timeout') sent.destroy();
      };
      sent.on('information', ({ statusCode }) => statusCode === 102 && end(102));
      sent.on('response', (response) => {
        response.resume();
        response.on('end', () => end(response.statusCode ?? 'broken'));
        response.on('error', () => end('broken'));
      });
      sent.on('error', () => end('broken'));
      sent.end(body);
    });
  };

  return {
    settings,
    faults,
    log,
    publish: (emailAddress, historyId) => {
      published++;
      const id = String(2_070_443_601_000_000 + published * 17 + random.below(17));
      const data = encodeData({ emailAddress, historyId }, settings, random);
      const message = { id, emailAddress, historyId, publishedAt: clock.now().getTime(), data, attempts: 0 };
      if (settings.endpoint === undefined) return undelivered(message, 'unroutable');
      if (random.fraction() < faults.drop) return undelivered(message, 'dropped');
      if (heldBack === undefined && random.fraction() < faults.reorder) {
        heldBack = message;
        clock.after(heldBackMs, () => heldBack === message && release());
        return;
      }
      if (faults.delayMs > 0) queueLater(message, random.below(faults.delayMs));
      else queue(message);
      release();
    },
    noteLimited: (emailAddress, historyId) => undelivered({ id: '', emailAddress, historyId }, 'limited'),
    settled: () =>
      new Promise((resolve) => {
        idle.push(resolve);
        pump();
      }),
    close: () => {
      isPaused = true;
      agent.destroy();
      for (const wake of idle.splice(0)) wake();
    },
  };
}

function named({ id, emailAddress, historyId }: Pick<Message, 'id' | 'emailAddress' | 'historyId'>) {
  return { messageId: id, emailAddress, historyId };
}

function encodeData(
  { emailAddress, historyId }: { emailAddress: string; historyId: number },
  { historyIdAs, base64 }: PushSettings,
  random: Random,
): string {
  const isNumber = historyIdAs === 'number' || (historyIdAs === 'either' && random.below(2) === 0);
  const data = Buffer.from(JSON.stringify({ emailAddress, historyId: isNumber ? historyId : String(historyId) }));
  const padded = data.toString('base64');
  return base64 === 'standard' ? padded : padded.replaceAll('+', '-').replaceAll('/', '_');
}

/** Both spellings, as Pub/Sub has them; no attributes, as Gmail has none. */
function envelopeOf({ id, data, publishedAt, attempts }: Message, { deadLetterAfter }: PushSettings): object {
  const publishTime = new Date(publishedAt).toISOString();
  return {
    message: { data, messageId: id, message_id: id, publishTime, publish_time: publishTime },
    subscription,
    ...(deadLetterAfter !== null && { deliveryAttempt: attempts }),
  };
}
