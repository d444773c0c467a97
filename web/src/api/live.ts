import { leadOrFollow } from './leader.ts';

/** An event of the stream of a workspace. Its id is that of the last event that had one; empty before the first. */
export type LiveEvent = {
  name: (typeof liveNames)[number] | typeof opened | typeof resumed;
  data: unknown;
  id: string;
};
type Said = { event: LiveEvent } | { isBroken: boolean };

const liveNames = [
  'ticket',
  'message',
  'mailbox',
  'notification',
  'notification.read',
  'presence',
  'seen',
  'draft',
  'view',
  'saved_reply',
  'workspace',
  'member',
  'team',
  'preferences',
  'reset',
  'end',
] as const;
/** The page itself makes this event: the stream has begun, and events without an id arrive from now on. */
const opened = 'opened';
/** The page itself makes this event: the stream goes on, but it may have missed events without an id. */
const resumed = 'resumed';

type Listener = (events: readonly LiveEvent[]) => void;
const listeners = new Set<Listener>();
const stateListeners = new Set<() => void>();
let isBroken = false;

/** Listeners get events in batches, about one a frame. A timer does this, as a hidden tab has no frames. */
const gatherMs = 16;
const reopenMs = 2_000;

/** Listens to all events, whichever tab reads the stream. */
export function onLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the stream is broken, for `useSyncExternalStore`. */
export const liveState = {
  subscribe: (listener: () => void) => {
    stateListeners.add(listener);
    return () => stateListeners.delete(listener);
  },
  isBroken: () => isBroken,
};

/**
 * Follows the stream of a workspace. One tab of the browser reads the stream and passes its events to the other tabs.
 * @param position the position to read from; undefined where it is not known
 * @returns a function that stops following
 */
export function followLive(workspaceId: string, position: Promise<string | undefined>): () => void {
  const name = `kontor.live ${workspaceId}`;
  const channel = new BroadcastChannel(name);
  let lastId: string | undefined;
  let gathered: LiveEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    timer = undefined;
    const events = gathered;
    gathered = [];
    for (const listener of listeners) listener(events);
  };
  const hear = (said: Said) => {
    if ('isBroken' in said) {
      setBroken(said.isBroken);
      return;
    }
    if (said.event.id !== '') lastId = said.event.id;
    gathered.push(said.event);
    timer ??= setTimeout(tell, gatherMs);
  };
  const say = (said: Said) => {
    hear(said);
    channel.postMessage(said);
  };
  channel.onmessage = ({ data }: MessageEvent<Said>) => hear(data);
  const begin = async () => {
    const id = await position;
    return lastId ?? id;
  };
  const leave = leadOrFollow(name, () => readStream(workspaceId, { begin, lastId: () => lastId }, say));
  return () => {
    leave();
    channel.close();
    clearTimeout(timer);
    setBroken(false);
  };
}

function setBroken(next: boolean): void {
  if (next === isBroken) return;
  isBroken = next;
  for (const listener of stateListeners) listener();
}

type Places = { begin: () => Promise<string | undefined>; lastId: () => string | undefined };

/** Reads the stream from the last position, and opens it again whenever it breaks. */
function readStream(workspaceId: string, { begin, lastId }: Places, say: (said: Said) => void): () => void {
  let source: EventSource | undefined;
  let firstId: string | undefined;
  let isFirst = true;
  let wasRefused = false;
  let hasEnded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    const id = lastId() ?? firstId;
    const from = id === undefined ? '' : `?lastEventId=${encodeURIComponent(id)}`;
    const stream = new EventSource(`/v1/workspaces/${workspaceId}/events/stream${from}`);
    source = stream;
    stream.onopen = () => {
      say({ isBroken: false });
      // Without a position, events between the first lists and this moment are lost: everything is read again.
      if (id === undefined) say(byItself('reset'));
      else if (wasRefused) say(byItself(resumed));
      else if (isFirst) say(byItself(opened));
      wasRefused = false;
      isFirst = false;
    };
    stream.onerror = () => {
      wasRefused = true;
      say({ isBroken: true });
      // The browser reopens a broken stream by itself, but gives up a refused stream.
      if (stream.readyState !== EventSource.CLOSED) return;
      // The session or the membership may have ended, and the browser does not tell why it was refused.
      say(byItself('end'));
      timer = setTimeout(open, reopenMs);
    };
    for (const name of liveNames)
      stream.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        if (name === 'end') stream.close();
        say({ event: { name, data: JSON.parse(data) as unknown, id: lastEventId } });
      });
  };
  void begin().then((id) => {
    firstId = id;
    if (!hasEnded) open();
  });
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    source?.close();
  };
}

function byItself(name: LiveEvent['name']): Said {
  return { event: { name, data: {}, id: '' } };
}
