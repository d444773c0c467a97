import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Logger } from '../platform/log.ts';
import { openNotifyPace } from './notify-pace.ts';
import { openSignals, type Signal } from './signals.ts';

/** Gets the workspaces in which any process committed changes; null when it may be any workspace. */
type LiveListener = (workspaceIds: readonly WorkspaceId[] | null) => void;

/**
 * Notification hints between the processes of one database: something was committed. Hints only save time. A hint may
 * be lost with its process or connection, so every follower must also poll.
 */
export type Live = {
  /** Tells every process to look for changes in these workspaces. */
  touch(workspaceIds: Iterable<WorkspaceId>): void;
  /** Returns a function that ends the subscription. The first subscription makes this process listen. */
  follow(listener: LiveListener): () => void;
  /** Sends a signal to the open streams of every process. Drops the signal when too many wait. */
  signal(signal: Signal): void;
  /** Sends a signal only to the streams of this process. */
  signalHere(signal: Signal): void;
  followSignals(listener: (signal: Signal) => void): () => void;
  close(): Promise<void>;
};

export type LiveOptions = {
  /** The address of the database server itself, not of a pooler in front of it. */
  url: string;
  log: Logger;
  publish: (channel: string, payload: string) => Promise<unknown>;
};

const channel = 'kontor_live';
const signalChannel = 'kontor_signal';
/** A payload holds 8,000 bytes, an id and its comma 37. */
const namedMax = 200;
const anywhere = '*';

export function openLive({ url, log, publish }: LiveOptions): Live {
  const listeners = new Set<LiveListener>();
  const publisher = openPublisher((payload) => publish(channel, payload), log);
  const signalListeners = new Set<(signal: Signal) => void>();
  const signals = openSignals((payload) => publish(signalChannel, payload), log);
  let listening: ReturnType<typeof openListening> | undefined;
  let isClosed = false;
  const listen = (): void => {
    if (!isClosed) listening ??= openListening({ url, log, hear, hearSignals });
  };
  const hear = (payload: string): void => {
    const workspaceIds = payload === anywhere ? null : (payload.split(',') as WorkspaceId[]);
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
const pingMs = 5_000;
const answerMsMax = 5_000;
const leaveMsMax = 1_000;

type Hearing = { hear: (payload: string) => void; hearSignals: (payload: string) => void };

/** Keeps one listening connection open, and reconnects until it is closed. */
function openListening({ url, log, hear, hearSignals }: { url: string; log: Logger } & Hearing) {
  const closing = new AbortController();
  const run = async (): Promise<void> => {
    let pauseMs = pauseMsMin;
    let isExpected = false;
    while (!closing.signal.aborted) {
      const onListening = (): void => {
        pauseMs = pauseMsMin;
        isExpected = true;
        // Earlier notifications were missed.
        hear(anywhere);
      };
      const { signal } = closing;
      await listen({ url, hear, hearSignals, onListening, signal }).catch((err: Error & { code?: string }) => {
        if (closing.signal.aborted) return;
        // The first attempt may time out while a busy machine starts.
        log[isExpected ? 'warn' : 'info'](
          { code: err.code, reason: err.message },
          isExpected ? 'the connection for change notifications is lost' : 'no change notifications yet',
        );
        isExpected = true;
      });
      // The random part keeps processes from reconnecting all at once when the database comes back.
      await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal: closing.signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, pauseMsMax);
    }
  };
  const ended = run();
  return {
    close: (): Promise<void> => {
      closing.abort();
      return ended;
    },
  };
}

type Listening = Hearing & {
  url: string;
  onListening: () => void;
  signal: AbortSignal;
};

/** Listens until `signal` aborts. Throws when the connection fails or is lost. */
async function listen({ url, hear, hearSignals, onListening, signal }: Listening): Promise<void> {
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
  client.on('notification', (told) => {
    if (told.channel === channel) hear(told.payload ?? anywhere);
    else hearSignals(told.payload ?? '[]');
  });
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort);
  let ping: NodeJS.Timeout | undefined;
  try {
    await client.connect();
    await client.query(`listen ${channel}; listen ${signalChannel}`);
    if (!signal.aborted) {
      onListening();
      // The query timeout detects a connection that broke silently.
      ping = setInterval(() => client.query('select 1').catch(reject), pingMs);
    }
    await over;
  } finally {
    clearInterval(ping);
    signal.removeEventListener('abort', onAbort);
    // A connection that does not respond would not end cleanly either, so the wait has a limit.
    await Promise.race([client.end().catch(() => {}), sleep(leaveMsMax, undefined, { ref: false })]);
  }
}
