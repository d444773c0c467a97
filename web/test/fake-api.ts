import { inject } from 'vitest';
import type { components, operations } from '../src/api/schema.d.ts';
import type { Operation } from './operations.ts';

/**
 * Stands in for the API in tests of components. Each operation is typed by `openapi.json`, so an answer of another shape
 * does not compile.
 */

type Id = keyof operations;
type Parts<Operation> = Operation extends { parameters: infer Parameters } ? Parameters : never;
type Json<Holder> = Holder extends { content: { 'application/json': infer Content } } ? Content : undefined;
type BodyOf<Operation> = Operation extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : undefined;
type Success = 200 | 201 | 202 | 204;

/** What an operation answers with. */
export type AnswerOf<Operation extends Id> = {
  [Status in Success & keyof operations[Operation]['responses']]: Json<operations[Operation]['responses'][Status]>;
}[Success & keyof operations[Operation]['responses']];

/** A request as an operation gets it. */
export type Asked<Operation extends Id> = {
  path: Parts<operations[Operation]> extends { path: infer Path } ? Path : Record<never, never>;
  query: Parts<operations[Operation]> extends { query?: infer Query } ? NonNullable<Query> : Record<never, never>;
  body: BodyOf<operations[Operation]>;
  /** Aborted once the page no longer wants the answer. */
  signal: AbortSignal;
};

/** The answers of a test, by operation. Each gets the request, and may throw a `Refusal`. */
export type Answers = {
  [Operation in Id]?: (asked: Asked<Operation>) => AnswerOf<Operation> | Promise<AnswerOf<Operation>>;
};

type ErrorKey = components['schemas']['Error']['key'];

/** Thrown by an answer, it refuses the request. */
export class Refusal extends Error {
  readonly toResponse: () => Response;

  constructor(status: number, key: ErrorKey, params: Record<string, unknown> = {}) {
    super(key);
    this.toResponse = () => Response.json({ key, params, fallbackMessage: `Refused: ${key}` }, { status });
  }
}

const all: readonly Operation[] = inject('operations');
const routes = all
  .map(({ id, method, path }) => ({ id: id as Id, method, parts: path.split('/') }))
  // As the service: a word in the path comes before an id that may stand there.
  .sort((one, other) => namesIn(one.parts) - namesIn(other.parts));

function namesIn(parts: readonly string[]): number {
  return parts.filter((part) => part.startsWith('{')).length;
}

type Call = {
  id: Id;
  path: Record<string, string>;
  query: Record<string, string | string[]>;
  body: unknown;
  signal: AbortSignal;
};

let answers: Answers = {};
let requests: Call[] = [];
let unanswered: string[] = [];
let streams: FakeStream[] = [];
/** Events that no stream has told yet. */
let early: MessageEvent[] = [];
/** The operations whose answers wait. */
const held = new Map<string, Promise<void>>();
/** Tests so far. A request of a test that has ended gets no answer: the next test would find it in its cache. */
let round = 0;

/** Begins a test: nothing is asked yet. */
export function beginApi(chosen: Answers): void {
  answers = chosen;
  requests = [];
  unanswered = [];
}

/** Ends a test. @returns the operations that the page called and the test has no answer for */
export function endApi(): string[] {
  for (const stream of streams) stream.close();
  streams = [];
  early = [];
  held.clear();
  round += 1;
  return unanswered;
}

/** Changes answers in the middle of a test. */
export function answerWith(changed: Answers): void {
  answers = { ...answers, ...changed };
}

/** Holds the answers of an operation back. @returns a function that lets them go */
export function hold(id: Id): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  held.set(id, promise);
  return () => {
    held.delete(id);
    resolve();
  };
}

/** The requests of one operation so far, the oldest first. */
export function askedFor<Operation extends Id>(id: Operation): Asked<Operation>[] {
  return requests.filter((request) => request.id === id) as unknown as Asked<Operation>[];
}

/** The operations of all requests so far, the oldest first. */
export function allAsked(): string[] {
  return requests.map(({ id }) => id);
}

function routeOf(method: string, pathname: string): { id: Id; path: Record<string, string> } | undefined {
  const parts = pathname.split('/');
  for (const route of routes) {
    if (route.method !== method || route.parts.length !== parts.length) continue;
    const path: Record<string, string> = {};
    const isThis = route.parts.every((part, at) => {
      const found = parts[at] ?? '';
      if (!part.startsWith('{')) return part === found;
      path[part.slice(1, -1)] = decodeURIComponent(found);
      return true;
    });
    if (isThis) return { id: route.id, path };
  }
  return undefined;
}

/** A parameter that stands there several times has all its values. */
function queryOf(parameters: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first = '', ...more] = parameters.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

async function answerOrNever(request: Request): Promise<Response> {
  const asked = round;
  const response = await answer(request);
  return asked === round ? response : new Promise(() => undefined);
}

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const found = routeOf(request.method, pathname);
  if (found === undefined) throw new TypeError(`${request.method} ${pathname} is no operation`);
  const text = await request.text();
  const asked = {
    ...found,
    query: queryOf(searchParams),
    body: text === '' ? undefined : JSON.parse(text),
    signal: request.signal,
  };
  requests.push(asked);
  await held.get(found.id);
  // Read after the wait: the test may have changed it meanwhile.
  const own = answers[found.id] as ((asked: unknown) => unknown) | undefined;
  if (own === undefined) {
    unanswered.push(found.id);
    return new Refusal(500, 'internal').toResponse();
  }
  try {
    const body = await own(asked);
    return body === undefined ? new Response(null, { status: 204 }) : Response.json(body);
  } catch (error) {
    if (error instanceof Refusal) return error.toResponse();
    throw error;
  }
}

/** Takes the place of the API and of its stream. The page's client keeps the `fetch` that it finds as it loads. */
export function standIn(): void {
  const realFetch = window.fetch;
  window.fetch = async (input, init) => {
    const request = new Request(input, init);
    return new URL(request.url).pathname.startsWith('/v1/') ? answerOrNever(request) : realFetch(request);
  };
  window.EventSource = FakeStream as unknown as typeof EventSource;
}

/** The stream of live events. It opens at once, and tells what the test says. */
class FakeStream extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 1;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
    super();
    streams.push(this);
    queueMicrotask(() => {
      this.onopen?.();
      for (const event of early.splice(0)) this.dispatchEvent(event);
    });
  }

  close(): void {
    this.readyState = 2;
  }
}

/** Tells the open page of an event, as the stream does. A page that does not listen yet hears it as soon as it does. */
export function tell(name: string, data: unknown, lastEventId = ''): void {
  const eventOf = () => new MessageEvent(name, { data: JSON.stringify(data), lastEventId });
  const open = streams.filter(({ readyState }) => readyState === 1);
  if (open.length === 0) early.push(eventOf());
  for (const stream of open) stream.dispatchEvent(eventOf());
}
