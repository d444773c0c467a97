import { KontorError } from './error.ts';
import { postJson, type Session, type SessionStore, sessionOf } from './session.ts';

/** An API key, an access token, or a session that is refreshed when its access token ends. */
export type Auth = string | SessionStore;

export type Credentials = {
  /** The token for the next request; undefined without any. */
  token(): Promise<string | undefined>;
  /** A new token in place of a token that the service refused; undefined if there is no way to get a token. */
  renewed(refused: string): Promise<string | undefined>;
};

/** A token that ends so soon could end on its way. */
const spareMs = 30_000;
/** The service takes a spent refresh token again for ten seconds, in case its answer was lost. */
const repeatWithinMs = 8_000;

export function credentialsOf(
  auth: Auth | undefined,
  url: string,
  send: (request: Request) => Promise<Response>,
): Credentials {
  if (auth === undefined || typeof auth === 'string')
    return { token: async () => auth, renewed: async () => undefined };
  let running: Promise<string> | undefined;
  const exchange = () => refresh(auth, new URL('/v1/auth/refresh', url), send);
  const renewed = (refused: string): Promise<string> => {
    // Requests that find the same token spent wait for one exchange.
    running ??= turn(auth, refused, exchange).finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    token: async () => {
      const { accessToken, expiresAt } = await auth.load();
      return Date.now() < expiresAt - spareMs ? accessToken : renewed(accessToken);
    },
    renewed,
  };
}

async function turn(store: SessionStore, refused: string, exchange: () => Promise<Session>): Promise<string> {
  const lock = store.lock ?? ((work) => work());
  const session = await lock(async () => {
    const current = await store.load();
    // Another program has refreshed the session meanwhile.
    return current.accessToken === refused ? exchange() : current;
  });
  return session.accessToken;
}

async function refresh(
  store: SessionStore,
  address: URL,
  send: (request: Request) => Promise<Response>,
): Promise<Session> {
  const before = await store.load();
  const startedAt = Date.now();
  for (;;) {
    try {
      const answer = sessionOf(await postJson(send, address, { refreshToken: before.refreshToken }));
      const next = { ...answer, workspaceId: before.workspaceId ?? answer.workspaceId };
      await store.save(next);
      return next;
    } catch (error) {
      const isLost = error instanceof KontorError && error.key === 'client.unreachable';
      if (!isLost || Date.now() - startedAt > repeatWithinMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}
