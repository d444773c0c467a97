import { isErrorBody, KontorError, readError, unknownAnswer } from './error.ts';
import type { components } from './schema.ts';
import { pause, type Send } from './send.ts';
import { sseParser } from './sse.ts';

type Schemas = components['schemas'];
type Actor = Schemas['TicketEvent']['actor'];
type Cause = NonNullable<Schemas['TicketEvent']['cause']>;
/** A change of a ticket. `type` is one of the table of events in docs/api.md; each has further fields. */
type TicketChange = {
  type: string;
  ticketId: string;
  messageId?: string;
  actor: Actor;
  cause?: Cause;
  createdAt: string;
  /** Null: the ticket is hidden from the reader since its team or its assignee changed. */
  ticket: Schemas['Ticket'] | null;
};

type EventData = {
  ticket: TicketChange;
  message: TicketChange;
  mailbox: { type: string; actor: Actor; cause?: Cause; createdAt: string; mailboxId: string } & Record<
    string,
    unknown
  >;
  notification: {
    type: string;
    notificationId: string;
    ticketId: string | null;
    messageId?: string;
    count: number;
    notification: Schemas['Notification'];
  };
  'notification.read': { notificationId: string | null };
  seen: { ticketId: string; unread: boolean };
  draft: { draftId: string; ticketId: string | null; kind: string; userId: string; version: number | null };
  presence: { ticketId: string; people: { userId: string; state: string }[] };
  member: { userId: string };
  /** Teams have changed, or who is in them, or the reader sees a ticket no more: read again what you show. */
  team: { ticketId?: string };
  preferences: object;
  saved_reply: object;
  view: object;
  workspace: object;
  /** The service cannot tell what happened since the last id: read again what you show. */
  reset: object;
  /** By the client itself: events arrive from now on. After a break, read the data of events without an id again. */
  opened: { isResumed: boolean };
};

/** An event, with the id from which a later stream continues; null before the first id. */
export type LiveEvent = {
  [Name in keyof EventData]: { event: Name; data: EventData[Name]; id: string | null };
}[keyof EventData];

export type EventOptions = {
  /** Continues after this id: of an event, or `position` of `GET …/start`. Without it the stream begins now. */
  lastEventId?: string;
  workspaceId?: string;
  signal?: AbortSignal;
};

/** The service sends a comment every 15 seconds. A connection that is silent for so long is broken. */
const silenceMs = 45_000;
const longestBreakMs = 30_000;
const shortestBreakMs = 250;

/** Reads the stream, and opens it again after each break. Ends when `signal` aborts. @throws when the right ends */
export async function* readEvents(
  send: Send,
  address: URL,
  { lastEventId, signal }: EventOptions,
): AsyncGenerator<LiveEvent, void, void> {
  const place: Place = { id: lastEventId ?? null, retryMs: 1_000, wasOpen: false };
  for (let failures = 0; !signal?.aborted; ) {
    const connection = new AbortController();
    const stop = () => connection.abort(signal?.reason);
    signal?.addEventListener('abort', stop);
    try {
      const response = await send(() => streamRequest(address, place.id, connection.signal), {
        times: 0,
        isStream: true,
      });
      if (!response.ok) throw await readError(response);
      if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
        throw unknownAnswer('it is no stream of events');
      failures = 0;
      yield { event: 'opened', data: { isResumed: place.wasOpen }, id: place.id };
      place.wasOpen = true;
      yield* eventsIn(response, place);
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error)) throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      connection.abort();
    }
    const waitMs = Math.min(place.retryMs * 2 ** failures++, longestBreakMs);
    await pause(waitMs * (0.75 + Math.random() / 2), signal).catch(() => {});
  }
}

type Place = { id: string | null; retryMs: number; wasOpen: boolean };

function streamRequest(address: URL, id: string | null, signal: AbortSignal): Request {
  const headers = { accept: 'text/event-stream', ...(id !== null && { 'last-event-id': id }) };
  return new Request(address, { headers, signal, cache: 'no-store', redirect: 'manual' });
}

async function* eventsIn({ body }: Response, place: Place): AsyncGenerator<LiveEvent, void, void> {
  if (body === null) return;
  const parse = sseParser();
  const reader = body.getReader();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (;;) {
    const part = await soon(reader.read());
    if (part.done) return;
    for (const { event, data, id, retryMs } of parse(decoder.decode(part.value, { stream: true }))) {
      place.id = id || place.id;
      place.retryMs = Math.max(retryMs ?? place.retryMs, shortestBreakMs);
      if (data === null) continue;
      const content = contentOf(data);
      if (event === 'end') throw ended(content);
      yield { event, data: content, id: place.id } as LiveEvent; // the service's own words
    }
  }
}

function contentOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw unknownAnswer('an event is not JSON', cause);
  }
}

/** @throws an error if the stream stays silent */
async function soon<Result>(work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the stream is silent')), silenceMs);
  });
  return Promise.race([work, silence]).finally(() => clearTimeout(timer));
}

/** The error of the last event. A spent access token is no end, since the next request refreshes the session. */
function ended(body: unknown): Error {
  if (!isErrorBody(body)) return new Error('the stream ended');
  return new KontorError(body, { status: body.key.startsWith('auth.') ? 401 : 403 });
}

/** Whether the stream may go on by itself: a fault of the network or of a server, or a limit. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof KontorError)) return true;
  return error.status === 0 || error.status === 429 || error.status >= 500 || error.key === 'auth.token_expired';
}
