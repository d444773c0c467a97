import { KontorError, readError, readJson, refuseRedirect, unknownAnswer, unreachable } from './error.ts';
import type { operations } from './schema.ts';

type SessionAnswer = operations['refreshSession']['responses']['200']['content']['application/json'];

/** The tokens of a signed-in person. Store them where only this person can read them. */
export type Session = {
  accessToken: string;
  /** Works once: it is replaced at each refresh. */
  refreshToken: string;
  /** When the access token ends, in milliseconds since 1970. */
  expiresAt: number;
  /** The workspace in which the person signed in; null without a workspace. */
  workspaceId: string | null;
};

/**
 * Where a session is stored. `lock` lets one program at a time refresh a session that several programs share, because a
 * refresh token works once: `navigator.locks` between tabs of a browser, or a lock file.
 */
export type SessionStore = {
  load(): Session | Promise<Session>;
  save(session: Session): void | Promise<void>;
  lock?<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** Stores a session in memory only. */
export function sessionInMemory(session: Session): SessionStore {
  let current = session;
  return {
    load: () => current,
    save: (next) => {
      current = next;
    },
  };
}

export type SignIn = {
  url: string;
  email: string;
  password: string;
  /** Asks the person for a code of their second factor, if they have set one up. */
  code?: () => string | Promise<string>;
  workspaceId?: string;
  signal?: AbortSignal;
  fetch?: (request: Request) => Promise<Response>;
};

/** Signs in with a password. @throws `KontorError` `auth.second_factor_required` if `code` is missing and needed */
export async function signIn(input: SignIn): Promise<Session> {
  const { url, email, password, code, workspaceId, signal, fetch: send = fetch } = input;
  const post = (body: object) => postJson(send, new URL('/v1/auth/session', url), body, signal);
  try {
    return sessionOf(await post({ provider: 'local', email, password, ...(workspaceId && { workspaceId }) }));
  } catch (error) {
    if (!(error instanceof KontorError) || error.key !== 'auth.second_factor_required' || !code) throw error;
    return sessionOf(await post({ provider: 'local', challenge: error.params.challenge, code: await code() }));
  }
}

/** Ends a session at the service. */
export async function signOut(url: string, { refreshToken }: Session, options: Pick<SignIn, 'signal' | 'fetch'> = {}) {
  await postJson(options.fetch ?? fetch, new URL('/v1/auth/logout', url), { refreshToken }, options.signal);
}

export function sessionOf(answer: SessionAnswer): Session {
  const { accessToken, refreshToken, expiresIn, workspace } = answer;
  if (typeof accessToken !== 'string' || typeof refreshToken !== 'string' || typeof expiresIn !== 'number')
    throw unknownAnswer('it has no session');
  return { accessToken, refreshToken, expiresAt: Date.now() + expiresIn * 1_000, workspaceId: workspace?.id ?? null };
}

export async function postJson<Body = SessionAnswer>(
  send: (request: Request) => Promise<Response>,
  address: URL,
  body: object,
  signal?: AbortSignal,
): Promise<Body> {
  const headers = { 'content-type': 'application/json' };
  const request = new Request(address, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: signal ?? null,
  });
  let response: Response;
  try {
    response = await send(request);
  } catch (cause) {
    throw request.signal.aborted ? cause : unreachable(cause);
  }
  refuseRedirect(response);
  if (!response.ok) throw await readError(response);
  return (await readJson(response)) as Body; // the shape that openapi.json declares
}
