import { leadOrFollow } from './leader.ts';

/** An event of the stream of a workspace. */
export type LiveEvent = { name: (typeof liveNames)[number] | typeof resumed; data: unknown };
type Said = { event: LiveEvent; id: string } | { isBroken: boolean };

const liveNames = [
  'ticket',
  'message',
  'mailbox',
  'notification',
  'notification.read',
  'presence',
  'seen',
  'view',
  'workspace',
  'member',
  'preferences',
  'reset',
  'end',
] as const;
/** Said by this page itself: the stream goes on, but events without an id may have been missed. */
const resumed = 'resumed';

type Listener = (events: readonly LiveEvent[]) => void;
const listeners = new Set<Listener>();
const stateListeners = new Set<() => void>();
let isBroken = false;

/** Events that come together are told together, about once a frame; frames themselves stand still in a hidden tab. */
const gatherMs = 16;
const reopenMs = 2_000;

/** Hears all events, of whatever tab's stream. */
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

/** Follows the stream of a workspace: one tab of the browser reads it and tells the others. @returns what ends it */
export function followLive(workspaceId: string): () => void {
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
    if (said.id !== '') lastId = said.id;
    gathered.push(said.event);
    timer ??= setTimeout(tell, gatherMs);
  };
  const say = (said: Said) => {
    hear(said);
    channel.postMessage(said);
  };
  channel.onmessage = ({ data }: MessageEvent<Said>) => hear(data);
  const leave = leadOrFollow(name, () => readStream(workspaceId, () => lastId, say));
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

/** Reads the stream from where it was left, and opens it again whenever it breaks. */
function readStream(workspaceId: string, lastId: () => string | undefined, say: (said: Said) => void): () => void {
  let source: EventSource | undefined;
  let wasRefused = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    const id = lastId();
    const from = id === undefined ? '' : `?lastEventId=${encodeURIComponent(id)}`;
    const opened = new EventSource(`/v1/workspaces/${workspaceId}/events/stream${from}`);
    source = opened;
    opened.onopen = () => {
      say({ isBroken: false });
      // Without a place to go on from, nobody tells what happened between the first lists and this moment.
      if (wasRefused || id === undefined)
        say({ event: { name: id === undefined ? 'reset' : resumed, data: {} }, id: '' });
      wasRefused = false;
    };
    opened.onerror = () => {
      wasRefused = true;
      say({ isBroken: true });
      // The browser resumes a stream that broke, but gives one up that was refused.
      if (opened.readyState === EventSource.CLOSED) timer = setTimeout(open, reopenMs);
    };
    for (const name of liveNames)
      opened.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        if (name === 'end') opened.close();
        say({ event: { name, data: JSON.parse(data) as unknown }, id: lastEventId });
      });
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
