import { createSigner, createVerifier, TokenError } from 'fast-jwt';
import type { Principal } from '../catalog/actor.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';

export const accessTokenSeconds = 3600;
const algorithm = 'HS256';
const knownMax = 20_000;
const refusedMax = 5_000;

// Made once: in a flood of bad tokens, to make an error for each could be measured.
const invalid = new AppError('auth.token_invalid');
const expired = new AppError('auth.token_expired');

export type AccessTokens = {
  sign(session: Pick<Principal, 'userId' | 'sessionId'>): string;
  /**
   * Whom a token names; else `auth.token_expired` or `auth.token_invalid`, returned and not thrown (see `auth/gate.ts`). Says nothing of
   * whether the session still lives.
   */
  read(token: string): Principal | AppError;
};

/** A token is good for its own issuer only, so the token of a cookie is refused as a bearer token. */
type TokenKind = { issuer: string; seconds: number };

/** Access tokens: JWT, HS256 (RFC 7519), naming the account as `sub` and its session as `sid`. */
export function accessTokens(
  secret: Uint8Array,
  clock: Clock,
  { issuer, seconds }: TokenKind = { issuer: 'kontor', seconds: accessTokenSeconds },
): AccessTokens {
  const key = Buffer.from(secret);
  const sign = createSigner({ key, algorithm, iss: issuer, expiresIn: seconds * 1000 });
  // Expiry is told by our own clock; ours have no `nbf`.
  const verify = createVerifier({
    key,
    algorithms: [algorithm],
    allowedIss: issuer,
    requiredClaims: ['iss', 'sub', 'sid', 'exp'],
    ignoreExpiration: true,
    ignoreNotBefore: true,
  });
  // A signature is checked once a token, not once a request.
  const known = new Map<string, Principal>();
  // Nor twice for one that will never be good, which a client that does not give up shows with each request.
  const refused = new Set<string>();

  const learn = (token: string): Principal | undefined => {
    const principal = namedBy(token, verify);
    if (principal === undefined) {
      if (refused.size >= refusedMax) refused.clear();
      refused.add(token);
    } else {
      if (known.size >= knownMax) known.clear();
      known.set(token, principal);
    }
    return principal;
  };
  return {
    sign: ({ userId, sessionId }) =>
      sign({ sub: userId, sid: sessionId, iat: Math.floor(clock.now().getTime() / 1000) }),
    read: (token) => {
      const principal = known.get(token) ?? (refused.has(token) ? undefined : learn(token));
      if (principal === undefined) return invalid;
      return principal.expiresAtMs > clock.now().getTime() ? principal : expired;
    },
  };
}

/** Whom a token names; undefined where we have not signed it. */
function namedBy(token: string, verify: (token: string) => Record<string, unknown>): Principal | undefined {
  try {
    const { sub, sid, exp } = verify(token);
    const isWhole = isUuidText(sub) && isUuidText(sid) && typeof exp === 'number';
    return isWhole ? { userId: sub, sessionId: sid, expiresAtMs: exp * 1000 } : undefined;
  } catch (error) {
    if (error instanceof TokenError) return undefined;
    throw error;
  }
}

function isUuidText(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value);
}
