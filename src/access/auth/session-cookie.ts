import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../ground/catalog/actor.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { Config } from '../../ground/settings/config.ts';
import { type AccessTokens, accessTokens } from '../accounts/access-token.ts';
import { refreshTokenDays } from '../accounts/start-session.ts';

const daySeconds = 86_400;
const lifeSeconds = refreshTokenDays * daySeconds;
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The cookie of a browser's session. Scripts cannot read the cookie. The session's row decides whether it is valid. */
export type SessionCookies = {
  /** The cookie's account and session; undefined without a cookie. */
  read(request: FastifyRequest): Principal | AppError | undefined;
  set(reply: FastifyReply, session: Pick<Principal, 'userId' | 'sessionId'>): void;
  /** Sets the cookie again when it is more than a day old, so that a browser in use stays signed in. */
  renew(reply: FastifyReply, principal: Principal): void;
  clear(reply: FastifyReply): void;
};

export function openSessionCookies({ publicUrl, authSecret }: Config, clock: Clock): SessionCookies {
  const secure = publicUrl.startsWith('https:');
  // The prefix prevents other hosts of the domain from setting the cookie (RFC 6265bis §4.1.3.2).
  const name = secure ? '__Host-kontor' : 'kontor';
  const tokens: AccessTokens = accessTokens(authSecret, clock, { issuer: 'kontor-cookie', seconds: lifeSeconds });
  const put = (reply: FastifyReply, value: string, maxAge: number): void => {
    const options = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge } as const;
    reply.header('set-cookie', stringifySetCookie({ name, value, ...options }));
  };
  const set: SessionCookies['set'] = (reply, session) => put(reply, tokens.sign(session), lifeSeconds);
  return {
    read: ({ headers }) => {
      // Without the prefix, another service on this host may have set a cookie of the same name.
      const found = tokensIn(headers.cookie ?? '', name).map((token) => tokens.read(token));
      return found.find((principal) => !(principal instanceof AppError)) ?? found[0];
    },
    set,
    renew: (reply, principal) => {
      const leftMs = principal.expiresAtMs - clock.now().getTime();
      if (leftMs < (lifeSeconds - daySeconds) * 1_000) set(reply, principal);
    },
    clear: (reply) => put(reply, '', 0),
  };
}

const cookiesMax = 10;

/** The values of all cookies of a name. */
function tokensIn(header: string, name: string): string[] {
  const tokens = header.split(';').flatMap((pair) => parseCookie(pair)[name] || []);
  return tokens.slice(0, cookiesMax);
}

/**
 * Whether a write comes from a page of another site: a browser may send the cookie with it. Old browsers, and all
 * browsers on plain http, send no `Sec-Fetch-Site`: for them `Origin` decides.
 */
export function isCrossSite(request: FastifyRequest, { publicUrl }: Pick<Config, 'publicUrl'>): boolean {
  return !safeMethods.has(request.method) && !isSameOrigin(request, publicUrl);
}

/** For routes that set the cookie or end its session. Throws 403 `auth.cross_site`. */
export function refuseCrossSite(request: FastifyRequest, config: Pick<Config, 'publicUrl'>): void {
  if (isCrossSite(request, config)) throw new AppError('auth.cross_site');
}

function isSameOrigin({ headers }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return origin === new URL(publicUrl).origin || new URL(origin).host === headers.host;
}
