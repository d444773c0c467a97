import type { Middleware } from 'openapi-fetch';

/**
 * In the browser while the service does not know of a sign-out yet. The name differs from those of data about a person,
 * which a sign-out deletes.
 */
const mark = 'kontor-signed-out';
const againMs = 10_000;
let telling: Promise<Response | undefined> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether the service does not know of a sign-out yet. The cookie still works, and no script can remove it. */
export function isSignedOut(): boolean {
  return localStorage.getItem(mark) !== null;
}

/** Signs out in this browser, and tells the service now or once it can be reached. */
export function beginSignOut(): void {
  localStorage.setItem(mark, '');
  void tellLater();
}

/** Goes on with a sign-out that an earlier page began. */
export function resumeSignOut(): void {
  void tellLater();
}

async function tellLater(): Promise<void> {
  clearTimeout(timer);
  await tellService().catch(() => undefined);
  if (isSignedOut()) timer = setTimeout(tellLater, againMs);
}

/**
 * Two tabs do not tell the service at the same time: the second one could end the session of the next person.
 * @returns the answer of a service that does not know yet
 */
function tellService(): Promise<Response | undefined> {
  telling ??= Promise.resolve(navigator.locks?.request(mark, end) ?? end()).finally(() => {
    telling = undefined;
  });
  return telling;
}

async function end(): Promise<Response | undefined> {
  if (!isSignedOut()) return undefined;
  const headers = { 'content-type': 'application/json' };
  // The page may be closed meanwhile.
  const response = await fetch('/v1/auth/logout', { method: 'POST', headers, body: '{}', keepalive: true });
  // Without a session to end, the service refuses the request.
  if (response.status >= 500 || response.status === 429) return response;
  localStorage.removeItem(mark);
  return undefined;
}

/** Tells the service of a sign-out before any other request, so that none goes out with the cookie that was left. */
export const signOutFirst: Middleware = {
  async onRequest({ schemaPath }) {
    if (!isSignedOut() || schemaPath === '/v1/config') return undefined;
    // A sign-in fails as it does without a network.
    if (schemaPath.startsWith('/v1/auth/')) return tellService();
    const answer = await tellService().catch((error: unknown) => error);
    return answer === undefined ? undefined : Response.json(signedOut, { status: 401 });
  },
};

const signedOut = { key: 'auth.token_invalid', params: {}, fallbackMessage: '' };
