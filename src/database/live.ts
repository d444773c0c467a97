import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { newId, type WorkspaceId } from '../lib/ids.ts';
import type { Logger } from '../platform/log.ts';
import { openNotifyPace } from './notify-pace.ts';
import { openSignals, type Signal } from './signals.ts';

/** Told in which workspaces something was committed, by whatever process; null: perhaps in any. */
type LiveListener = (workspaceIds: readonly WorkspaceId[] | null) => void;

/**
 * Hints between the processes of one database that something was committed. A hint makes it fast to notice and no more: one
 * may be lost with its process or its connection, so whoever follows also looks by itself now and then.
 */
export type Live = {
  /** Has every process look into these workspaces. */
  touch(workspaceIds: Iterable<WorkspaceId>): void;
  /** Returns how to end it. The first one makes this process listen. */
  follow(listener: LiveListener): () => void;
  /** Tells the open streams of every process; drops the signal when too many wait. */
  signal(signal: Signal): void;
  /** Tells the streams of this process alone. */
  signalHere(signal: Signal): void;
  followSignals(listener: (signal: Signal) => void): () => void;
  /**
   * Has `onLoss` called when somebody may have lost a right by a commit of any process, and whenever that may have been missed.
   * Returns whether this process is certain to have heard of all that was committed more than a second ago. From the first
   * question on it listens.
   */
  followLosses(onLoss: () => void): () => boolean;
  /** Tells this process itself of such a commit, at once. */
  noteLoss(): void;
  close(): Promise<void>;
};

export type LiveOptions = {
  /** Of a database server, not of a pooler before it. */
  url: string;
  log: Logger;
  publish: (channel: string, payload: string) => Promise<unknown>;
};

const channel = 'kontor_live';
const signalChannel = 'kontor_signal';
/** Told by the very transaction that takes a right away (`openDb`'s `losses`): unlike a hint it may not be lost. */
export const lossChannel = 'kontor_loss';
/** For so long what was heard last is taken for all there is to hear. */
const informedMsMax = 1_000;
/** A payload holds 8,000 bytes, an id and its comma 37. */
const namedMax = 200;
const anywhere = '*';

export function openLive({ url, log, publish }: LiveOptions): Live {
  const listeners = new Set<LiveListener>();
  const publisher = openPublisher((payload) => publish(channel, payload), log);
  const signalListeners = new Set<(signal: Signal) => void>();
  const signals = openSignals((payload) => publish(signalChannel, payload), log);
  const lossListeners = new Set<() => void>();
  const noteLoss = (): void => {
    for (const onLoss of lossListeners) onLoss();
  };
  let listening: ReturnType<typeof openListening> | undefined;
  let isClosed = false;
  const listen = (): void => {
    if (!isClosed) listening ??= openListening({ url, log, hear, hearSignals, noteLoss });
  };
  const hear = (payload: string): void => {
    const workspaceIds = payload === anywhere ? null : payload.split(',');
    for (const listener of listeners) listener(workspaceIds);
  };
  const hearSignals = (payload: string): void => {
    for (const signal of JSON.parse(payload) as Signal[]) signalHere(signal);
  };
  const signalHere = (signal: Signal): void => {
    for (const listener of signalListeners) listener(signal);
  };
  return {
    touch: publisher.touch,
    signal: signals.send,
    signalHere,
    followSignals: (listener) => {
      signalListeners.add(listener);
      listen();
      return () => signalListeners.delete(listener);
    },
    follow: (listener) => {
      listeners.add(listener);
      listen();
      return () => listeners.delete(listener);
    },
    followLosses: (onLoss) => {
      lossListeners.add(onLoss);
      return () => {
        listen();
        return listening !== undefined && performance.now() - listening.informedAtMs() < informedMsMax;
      };
    },
    noteLoss,
    close: async () => {
      isClosed = true;
      publisher.close();
      signals.close();
      await listening?.close();
    },
  };
}

function openPublisher(publish: (payload: string) => Promise<unknown>, log: Logger) {
  let touched = new Set<WorkspaceId>();
  const pace = openNotifyPace({
    hasWaiting: () => touched.size > 0,
    send: async () => {
      const payload = touched.size > namedMax ? anywhere : [...touched].join();
      touched = new Set();
      await publish(payload).catch((err: unknown) => {
        log.debug({ err }, 'a hint to the other processes could not be sent');
      });
    },
  });
  return {
    touch: (workspaceIds: Iterable<WorkspaceId>): void => {
      for (const workspaceId of workspaceIds) touched.add(workspaceId);
      pace.schedule();
    },
    close: pace.close,
  };
}

const pauseMsMin = 100;
const pauseMsMax = 5_000;
const pingMs = 400;
const answerMsMax = 5_000;
const leaveMsMax = 1_000;

type Hearing = { hear: (payload: string) => void; hearSignals: (payload: string) => void; noteLoss: () => void };

/** Keeps one connection that listens, for as long as it takes. */
function openListening({ url, log, hear, hearSignals, noteLoss }: { url: string; log: Logger } & Hearing) {
  const closing = new AbortController();
  let informedAtMs = Number.NEGATIVE_INFINITY;
  const onInformed = (atMs: number): void => {
    informedAtMs = atMs;
  };
  const run = async (): Promise<void> => {
    let pauseMs = pauseMsMin;
    let isExpected = false;
    while (!closing.signal.aborted) {
      const onListening = (): void => {
        pauseMs = pauseMsMin;
        isExpected = true;
        // Whatever was said until now was not heard.
        hear(anywhere);
        noteLoss();
      };
      const { signal } = closing;
      await listen({ url, hear, hearSignals, noteLoss, onListening, onInformed, signal }).catch(
        (err: Error & { code?: string }) => {
          if (closing.signal.aborted) return;
          // The first attempt may time out while a busy machine starts.
          log[isExpected ? 'warn' : 'info'](
            { code: err.code, reason: err.message },
            isExpected ? 'the connection that hears of changes is lost' : 'changes are not heard of yet',
          );
          isExpected = true;
        },
      );
      onInformed(Number.NEGATIVE_INFINITY);
      // Not all processes at once, when the database comes back.
      await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal: closing.signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, pauseMsMax);
    }
  };
  const ended = run();
  return {
    /** Of `performance.now()`: all that was committed until then has been heard of. */
    informedAtMs: () => informedAtMs,
    close: (): Promise<void> => {
      closing.abort();
      return ended;
    },
  };
}

type Listening = Hearing & {
  url: string;
  onListening: () => void;
  onInformed: (atMs: number) => void;
  signal: AbortSignal;
};

/** Listens until told to end; throws when the connection is lost or not to be had. */
async function listen({ url, hear, hearSignals, noteLoss, onListening, onInformed, signal }: Listening): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'kontor_live',
    keepAlive: true,
    connectionTimeoutMillis: answerMsMax,
    query_timeout: answerMsMax,
  });
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  over.catch(() => {});
  client.on('error', reject);
  client.on('end', () => reject(new Error('the connection was closed')));
  let askedAtMs: number | undefined;
  client.on('notification', (told) => {
    if (told.channel === channel) hear(told.payload ?? anywhere);
    else if (told.channel === signalChannel) hearSignals(told.payload ?? '[]');
    else if (told.channel === lossChannel) noteLoss();
    else if (askedAtMs !== undefined) onInformed(askedAtMs);
  });
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort);
  // What was told before it comes before it, and a connection that is not the listening one, as a pooler's may be, never hears it.
  const ownChannel = client.escapeIdentifier(`kontor_echo_${newId()}`);
  const ask = async (): Promise<void> => {
    if (askedAtMs !== undefined) return;
    askedAtMs = performance.now();
    // One that broke without a word is noticed as well.
    await client.query(`notify ${ownChannel}`).catch(reject);
    askedAtMs = undefined;
  };
  let ping: NodeJS.Timeout | undefined;
  try {
    await client.connect();
    await client.query(`listen ${channel}; listen ${signalChannel}; listen ${lossChannel}; listen ${ownChannel}`);
    if (!signal.aborted) {
      onListening();
      void ask();
      ping = setInterval(() => void ask(), pingMs);
    }
    await over;
  } finally {
    clearInterval(ping);
    signal.removeEventListener('abort', onAbort);
    // One that does not answer does not take leave either.
    await Promise.race([client.end().catch(() => {}), sleep(leaveMsMax, undefined, { ref: false })]);
  }
}
