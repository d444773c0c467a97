import type { webcrypto } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Principal } from '../catalog/actor.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, type ErrorKey } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';

export const accessTokenSeconds = 3600;
const issuer = 'kontor';
const verifiedMax = 20_000;
const refusedMax = 5_000;

export type AccessTokens = {
  sign(session: Pick<Principal, 'userId' | 'sessionId'>): Promise<string>;
  /** Throws `auth.token_expired` or `auth.token_invalid`. Says nothing of whether the session still lives. */
  verify(token: string): Promise<Principal>;
};

/** Access tokens: JWT, HS256 (RFC 7519), naming the account as `sub` and its session as `sid`. */
export function accessTokens(secret: Uint8Array, clock: Clock): AccessTokens {
  // Imported once: of other kinds of keys jose makes such a one with every token.
  const imported = crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  // A signature is checked once a token, not once a request.
  const verified = new Map<string, Principal>();
  // Nor twice for one that will never be good, which a client that does not give up shows with each request.
  const refused = new Map<string, ErrorKey>();
  const refuse = (token: string, fault: AppError): void => {
    if (refused.size >= refusedMax) refused.clear();
    refused.set(token, fault.key);
  };
  return {
    sign: async ({ userId, sessionId }) => {
      const now = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(now + accessTokenSeconds)
        .sign(await imported);
    },
    verify: async (token) => {
      const known = verified.get(token);
      if (known !== undefined && known.expiresAtMs > clock.now().getTime()) return known;
      const refusal = refused.get(token);
      if (refusal !== undefined) throw new AppError(refusal);
      const principal = await readClaims(token, await imported, clock).catch((fault: AppError) => {
        refuse(token, fault);
        throw fault;
      });
      if (verified.size >= verifiedMax) verified.clear();
      verified.set(token, principal);
      return principal;
    },
  };
}

async function readClaims(token: string, key: webcrypto.CryptoKey, clock: Clock): Promise<Principal> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      issuer,
      requiredClaims: ['sub', 'sid', 'exp'],
      currentDate: clock.now(),
    });
    const { sub, sid, exp } = payload;
    if (sub === undefined || typeof sid !== 'string' || exp === undefined || !isUuid(sub) || !isUuid(sid)) {
      throw new AppError('auth.token_invalid');
    }
    return { userId: sub, sessionId: sid, expiresAtMs: exp * 1000 };
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new AppError('auth.token_expired');
    throw error instanceof AppError ? error : new AppError('auth.token_invalid', {}, { cause: error });
  }
}
