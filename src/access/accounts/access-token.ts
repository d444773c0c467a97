import { createSigner, createVerifier, TokenError } from 'fast-jwt';
import type { Principal } from '../../ground/catalog/actor.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { isUuid, type UserId } from '../../ground/lib/ids.ts';

export const accessTokenSeconds = 3600;
const algorithm = 'HS256';
const knownMax = 20_000;
const refusedMax = 5_000;

// Shared instances: building an error for each token has a measurable cost in a flood of bad tokens.
const invalid = new AppError('auth.token_invalid');
const expired = new AppError('auth.token_expired');

export type AccessTokens = {
  sign(session: Pick<Principal, 'userId' | 'sessionId'>): string;
  /**
   * Reads the account and session that a token names. Returns `auth.token_expired` or `auth.token_invalid` instead of
   * throwing them (see `auth/gate.ts`). Does not check that the session is still open.
   */
  read(token: string): Principal | AppError;
};

/** A token is valid for its own issuer only, so a cookie's token is refused as a bearer token. */
type TokenKind = { issuer: string; seconds: number };

/** Signs and reads access tokens: JWTs with HS256 (RFC 7519), with the account as `sub` and its session as `sid`. */
export function accessTokens(
  secret: Uint8Array,
  clock: Clock,
  { issuer, seconds }: TokenKind = { issuer: 'kontor', seconds: accessTokenSeconds },
): AccessTokens {
  const key = Buffer.from(secret);
  const sign = createSigner({ key, algorithm, iss: issuer, expiresIn: seconds * 1000 });
  // `read` checks expiry by the given clock. Our tokens have no `nbf`.
  const verify = createVerifier({
    key,
    algorithms: [algorithm],
    allowedIss: issuer,
    requiredClaims: ['iss', 'sub', 'sid', 'exp'],
    ignoreExpiration: true,
    ignoreNotBefore: true,
  });
  // Caches verified tokens: a signature is checked once per token, not once per request.
  const known = new Map<string, Principal>();
  // Caches invalid tokens too: a client that keeps retrying sends the same token with each request.
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

/** @returns undefined when the signature, the issuer or a claim is wrong */
function namedBy(token: string, verify: (token: string) => Record<string, unknown>): Principal | undefined {
  try {
    const { sub, sid, exp } = verify(token);
    const isWhole = isUuidText<UserId>(sub) && isUuidText(sid) && typeof exp === 'number';
    return isWhole ? { userId: sub, sessionId: sid, expiresAtMs: exp * 1000 } : undefined;
  } catch (error) {
    if (error instanceof TokenError) return undefined;
    throw error;
  }
}

function isUuidText<Id extends string>(value: unknown): value is Id {
  return typeof value === 'string' && isUuid(value);
}
