import type { Middleware } from 'openapi-fetch';

/** Why the service no longer knows who calls: the session ran out, or somebody ended it. */
export type SignedOut = 'ranOut' | 'ended';

let why: SignedOut | undefined;
/** Whether this page was signed in. Before that, a 401 leads to the sign-in. */
let wasIn = false;
let waiting: ((isBack: boolean) => void)[] = [];
const listeners = new Set<() => void>();

/** A request that can be sent again. A clone would do too, but browsers copy its body, and hide it from their tools. */
export class RepeatableRequest extends Request {
  /** Only of requests by a person who was signed in. */
  repeat: (() => Promise<Response>) | undefined;

  constructor(input: Request | string | URL, init?: RequestInit) {
    super(input, init);
    if (wasIn) this.repeat = () => fetch(input, init);
  }
}

function tell(next: SignedOut | undefined): void {
  why = next;
  for (const listener of listeners) listener();
}

/** Ends the question. Requests that waited go out again if the person is back, and fail otherwise. */
export function answerSignedOut(isBack: boolean): void {
  wasIn = isBack;
  const asked = waiting;
  waiting = [];
  tell(undefined);
  for (const resolve of asked) resolve(isBack);
}

/** Forgets that the page was signed in, at a sign-out. */
export function forgetSignedIn(): void {
  answerSignedOut(false);
}

/** Whether the page asks for a new sign-in, and why, for `useSyncExternalStore`. */
export const signedOutState = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  why: () => why,
};

/** Holds requests of an ended session back until the person has signed in again, and then repeats them. */
export const holdWhenSignedOut: Middleware = {
  async onResponse({ request, response, schemaPath }) {
    if (isOfAccounts(schemaPath)) return undefined;
    if (response.ok) wasIn = true;
    const { repeat } = request as RepeatableRequest;
    if (response.status !== 401 || repeat === undefined) return undefined;
    const { key } = (await response
      .clone()
      .json()
      .catch(() => ({}))) as { key?: string };
    // Other 401 are about a password that the person has typed.
    if (key?.startsWith('auth.token_') !== true || !wasIn) return undefined;
    const isBack = await new Promise<boolean>((resolve) => {
      waiting.push(resolve);
      tell(key === 'auth.token_invalid' ? 'ended' : 'ranOut');
    });
    return isBack ? repeat() : undefined;
  },
};

function isOfAccounts(path: string): boolean {
  return path.startsWith('/v1/auth/');
}
