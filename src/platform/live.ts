import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Logger } from './log.ts';

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
  close(): Promise<void>;
};

export type LiveOptions = {
  /** Of a database server, not of a pooler before it. */
  url: string;
  log: Logger;
  publish: (channel: string, payload: string) => Promise<unknown>;
};

const channel = 'kontor_live';
/** PostgreSQL lets one commit with a notification through at a time: a process asks for so few that nobody waits. */
const spacingMs = 50;
/** A payload holds 8,000 bytes, an id and its comma 37. */
const namedMax = 200;
const anywhere = '*';

export function openLive({ url, log, publish }: LiveOptions): Live {
  const listeners = new Set<LiveListener>();
  const publisher = openPublisher((payload) => publish(channel, payload), log);
  let listening: ReturnType<typeof openListening> | undefined;
  const hear = (payload: string): void => {
    const workspaceIds = payload === anywhere ? null : payload.split(',');
    for (const listener of listeners) listener(workspaceIds);
  };
  return {
    touch: publisher.touch,
    follow: (listener) => {
      listeners.add(listener);
      listening ??= openListening({ url, log, hear });
      return () => listeners.delete(listener);
    },
    close: async () => {
      publisher.close();
      await listening?.close();
    },
  };
}

function openPublisher(publish: (payload: string) => Promise<unknown>, log: Logger) {
  let touched = new Set<WorkspaceId>();
  let timer: NodeJS.Timeout | undefined;
  let isUnderWay = false;
  let isClosed = false;
  let sentAt = -spacingMs;
  const send = async (): Promise<void> => {
    timer = undefined;
    const payload = touched.size > namedMax ? anywhere : [...touched].join();
    touched = new Set();
    isUnderWay = true;
    sentAt = performance.now();
    try {
      await publish(payload);
    } catch (err) {
      log.debug({ err }, 'a hint to the other processes could not be sent');
    }
    isUnderWay = false;
    schedule();
  };
  const schedule = (): void => {
    if (isUnderWay || isClosed || touched.size === 0) return;
    timer ??= setTimeout(() => void send(), Math.max(sentAt + spacingMs - performance.now(), 0));
  };
  return {
    touch: (workspaceIds: Iterable<WorkspaceId>): void => {
      for (const workspaceId of workspaceIds) touched.add(workspaceId);
      schedule();
    },
    close: (): void => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const pauseMsMin = 100;
const pauseMsMax = 5_000;
const pingMs = 10_000;
const answerMsMax = 5_000;
const leaveMsMax = 1_000;

/** Keeps one connection that listens, for as long as it takes. */
function openListening({ url, log, hear }: { url: string; log: Logger; hear: (payload: string) => void }) {
  const closing = new AbortController();
  const run = async (): Promise<void> => {
    let pauseMs = pauseMsMin;
    while (!closing.signal.aborted) {
      const onListening = (): void => {
        pauseMs = pauseMsMin;
        // Whatever was said until now was not heard.
        hear(anywhere);
      };
      await listen({ url, hear, onListening, signal: closing.signal }).catch((err: Error & { code?: string }) => {
        if (closing.signal.aborted) return;
        log.warn({ code: err.code, reason: err.message }, 'the connection that hears of changes is lost');
      });
      // Not all processes at once, when the database comes back.
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

type Listening = { url: string; hear: (payload: string) => void; onListening: () => void; signal: AbortSignal };

/** Listens until told to end; throws when the connection is lost or not to be had. */
async function listen({ url, hear, onListening, signal }: Listening): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: answerMsMax,
    query_timeout: answerMsMax,
  });
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  over.catch(() => {});
  client.on('error', reject);
  client.on('end', () => reject(new Error('the connection was closed')));
  client.on('notification', ({ payload = anywhere }) => hear(payload));
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort);
  // A connection that broke without a word is noticed by asking.
  const ping = setInterval(() => void client.query('select 1').catch(reject), pingMs);
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
    if (!signal.aborted) onListening();
    await over;
  } finally {
    clearInterval(ping);
    signal.removeEventListener('abort', onAbort);
    // One that does not answer does not take leave either.
    await Promise.race([client.end().catch(() => {}), sleep(leaveMsMax, undefined, { ref: false })]);
  }
}
