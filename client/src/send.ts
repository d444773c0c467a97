import type { Credentials } from './credentials.ts';
import { isErrorBody, refuseRedirect, retryAfterOf, unreachable } from './error.ts';
import { newKey } from './random.ts';

export type RetryOptions = {
  /** How often a request is repeated (4). */
  times?: number;
  /** The longest time to wait before a repeat (60). If the service asks for more, its error is thrown at once. */
  waitSecondsMax?: number;
};

/** `isStream`: the answer counts once its headers are there, and the caller reads its body. */
type SendOptions = RetryOptions & { isStream?: boolean };
export type Send = (make: () => Request, own?: SendOptions) => Promise<Response>;
type Parts = { fetch: (request: Request) => Promise<Response>; credentials: Credentials; retries: RetryOptions };

/**
 * Sends a request with its credentials, and repeats it where that is safe.
 * @returns the answer, of any status but a redirect. Throws `KontorError` `client.unreachable` if none came whole
 */
export function sender({ fetch, credentials, retries }: Parts): Send {
  return async (make, own) => {
    const { times, waitSecondsMax, isStream } = { times: 4, waitSecondsMax: 60, isStream: false, ...retries, ...own };
    const idempotencyKey = newKey();
    let wasRenewed = false;
    let token = await credentials.token();
    for (let attempt = 0; ; attempt++) {
      const request = addressed(make(), { token, idempotencyKey });
      const outcome = await fetch(request)
        .then((response) => (isStream && response.ok ? response : whole(response)))
        .catch((error: unknown) => ({ error }));
      if ('error' in outcome && request.signal.aborted) throw outcome.error;
      if (!('error' in outcome)) refuseRedirect(outcome);
      if (!('error' in outcome) && !wasRenewed && token !== undefined && (await isExpired(outcome))) {
        const next = await credentials.renewed(token);
        wasRenewed = true;
        if (next !== undefined) {
          token = next;
          continue;
        }
      }
      const seconds = 'error' in outcome ? faultWait(request, attempt) : await answerWait(request, outcome, attempt);
      if (seconds !== undefined && seconds <= waitSecondsMax && attempt < times) {
        if (!('error' in outcome)) await outcome.body?.cancel();
        await pause(seconds * 1_000, request.signal);
        continue;
      }
      if ('error' in outcome) throw unreachable(outcome.error);
      return outcome;
    }
  };
}

/** Waits for the last byte, so that an answer that is cut off is a fault like any other of the network. */
async function whole(response: Response): Promise<Response> {
  if (response.body !== null) await response.clone().blob();
  return response;
}

function addressed(request: Request, { token, idempotencyKey }: { token: string | undefined; idempotencyKey: string }) {
  const { headers } = request;
  if (token !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
  const workspaceId = workspaceOf(request);
  if (workspaceId === undefined) return request;
  if (!headers.has('x-workspace-id')) headers.set('x-workspace-id', workspaceId);
  if (request.method === 'POST' && !headers.has('idempotency-key')) headers.set('idempotency-key', idempotencyKey);
  return request;
}

/** The workspace in the path. */
function workspaceOf({ url }: Request): string | undefined {
  return /^\/v1\/workspaces\/([^/]+)\//.exec(`${new URL(url).pathname}/`)?.[1];
}

/** Whether the same request may run twice: it only reads, it sets values, or the service knows it by its key. */
function isRepeatable(request: Request): boolean {
  const { method, headers } = request;
  if (method === 'POST') return headers.has('idempotency-key') && workspaceOf(request) !== undefined;
  // After a change that succeeded unseen, the version of If-Match would be an old version.
  return method === 'GET' || method === 'HEAD' || !headers.has('if-match');
}

/** How many seconds to wait after a fault of the network; undefined: do not repeat. */
function faultWait(request: Request, attempt: number): number | undefined {
  return isRepeatable(request) ? growing(attempt) : undefined;
}

async function answerWait(request: Request, response: Response, attempt: number): Promise<number | undefined> {
  const { status, headers } = response;
  const wait = Math.max(retryAfterOf(headers) ?? 0, growing(attempt));
  // Nothing was done yet, so any request may come again.
  if (status === 429) return retryAfterOf(headers) === null ? growing(attempt) : wait;
  if (!isRepeatable(request)) return undefined;
  if (status === 502 || status === 503 || status === 504) return wait;
  // The earlier attempt was cut off, and still runs.
  const isRunning = status === 409 && attempt > 0 && (await keyOf(response)) === 'idempotency.in_progress';
  return isRunning ? wait : undefined;
}

async function isExpired(response: Response): Promise<boolean> {
  return response.status === 401 && (await keyOf(response)) === 'auth.token_expired';
}

async function keyOf(response: Response): Promise<string | undefined> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return isErrorBody(body) ? body.key : undefined;
}

/** Half a second, doubled with each attempt up to eight, with a random part so that clients do not come all at once. */
function growing(attempt: number): number {
  return Math.min(0.5 * 2 ** attempt, 8) * (0.75 + Math.random() / 2);
}

/** Waits, or throws the reason of an abort. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
