import { type IncomingMessage, request } from 'node:http';
import type { Person } from '../worlds/factories.ts';

type ReadEvent = { id: string; event: string; data: any };

/** A client of an event stream that works like a browser's: it knows the last id, also from blocks without an event. */
export type EventReader = {
  status: number;
  headers: IncomingMessage['headers'];
  /** All events so far, in order. */
  events: ReadEvent[];
  /** The raw text so far. */
  text(): string;
  lastEventId(): string;
  /** Resolves with the events once `isEnough`. Rejects if the stream ends earlier. */
  until(isEnough: (events: ReadEvent[]) => boolean): Promise<ReadEvent[]>;
  ended: Promise<void>;
  /** Whether the answer ended properly. */
  isWhole(): boolean;
  /** Stops reading from the socket. */
  pause(): void;
  resume(): void;
  close(): void;
};

export type ReadOptions = { lastEventId?: string; query?: string; token?: string };

/** Opens the stream of a person's workspace, at a service or a proxy before it. */
export async function readEvents(
  { url }: { url: string },
  { workspaceId, token: own }: Pick<Person, 'workspaceId' | 'token'>,
  { lastEventId, query = '', token = own }: ReadOptions = {},
): Promise<EventReader> {
  const sent = request(`${url}/v1/workspaces/${workspaceId}/events/stream${query}`, {
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'x-workspace-id': workspaceId,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject).end();
  });
  return follow(response, () => sent.destroy());
}

function follow(response: IncomingMessage, close: () => void): EventReader {
  const events: ReadEvent[] = [];
  const listeners = new Set<() => void>();
  let text = '';
  let rest = '';
  let id = '';
  let isOver = false;
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      );
      id = fields.get('id') ?? id;
      const data = fields.get('data');
      if (data !== undefined) events.push({ id, event: fields.get('event') ?? 'message', data: JSON.parse(data) });
    }
    tell();
  });
  const ended = new Promise<void>((resolve) => {
    response
      .on('error', () => {})
      .on('close', () => {
        isOver = true;
        tell();
        resolve();
      });
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    text: () => text,
    lastEventId: () => id,
    until: (isEnough) =>
      new Promise((resolve, reject) => {
        const listen = (): void => {
          if (!isEnough(events) && !isOver) return;
          listeners.delete(listen);
          if (isEnough(events)) resolve(events);
          else reject(new Error(`the stream ended before, with ${JSON.stringify(events.slice(-3))}`));
        };
        listeners.add(listen);
        listen();
      }),
    ended,
    isWhole: () => response.complete,
    pause: () => response.pause(),
    resume: () => response.resume(),
    close,
  };
}
