/** Google's consent page and token endpoint. */
import { createHash, randomBytes } from 'node:crypto';
import type { VirtualClock } from '../clock.ts';
import type { Answer } from './answer.ts';
import type { Mailbox } from './mailbox.ts';

export type Grant = { mailbox: Mailbox; scopes: string[] };
type Code = Grant & { redirectUri: string; challenge: string | null; hasRefreshToken: boolean; expiresAt: number };

export type OAuth = {
  /** Makes a refresh token as from a consent. */
  grant(mailbox: Mailbox, scopes?: string[]): string;
  /** The consent page. The user named by `login_hint` consents at once. */
  authorize(query: URLSearchParams): { redirectTo: string } | { status: number; page: string };
  token(form: URLSearchParams, authorization: string | undefined): Answer;
  /** The mailbox of the token in a request to the token endpoint. */
  mailboxOf(form: URLSearchParams): Mailbox | undefined;
  /** @returns the grant of a valid bearer token */
  bearer(authorization: string | undefined): Grant | undefined;
  /** Ends all grants of a mailbox, as its user or a new password does. */
  revoke(mailbox: Mailbox): void;
  revokeToken(token: string): Answer;
  /** Expires the access tokens of a mailbox, or of all, now. */
  expireAccess(mailbox?: Mailbox): void;
  /** Refuses the next consents. */
  denyConsent(isDenied: boolean): void;
};

type OAuthOptions = {
  clock: VirtualClock;
  mailboxes: ReadonlyMap<string, Mailbox>;
  client: { id: string; secret: string };
};

export const modifyScope = 'https://www.googleapis.com/auth/gmail.modify';
const accessSeconds = 3_599;
const codeLifeMs = 10 * 60_000;
/** Google allows 100 live refresh tokens per client and user. The oldest dies silently. */
const refreshTokensMax = 100;

export function openOAuth({ clock, mailboxes, client }: OAuthOptions): OAuth {
  const tokens = openTokens(clock);
  const consents = openConsents({ clock, mailboxes, client }, tokens);

  return {
    grant: (mailbox, scopes) => tokens.grant(mailbox, scopes ?? mailbox.scopes ?? [modifyScope]),
    authorize: consents.authorize,
    token: (form, authorization) => {
      const [id, secret] = clientOf(form, authorization);
      if (id !== client.id || secret !== client.secret)
        return oauthError(401, 'invalid_client', 'The OAuth client was not found.');
      if (form.get('grant_type') === 'authorization_code') return consents.redeem(form);
      if (form.get('grant_type') !== 'refresh_token')
        return oauthError(400, 'unsupported_grant_type', 'Invalid grant_type');
      const held = tokens.ofRefresh(form);
      if (held === undefined) return oauthError(400, 'invalid_grant', 'Token has been expired or revoked.');
      return { status: 200, body: tokens.access(held) };
    },
    mailboxOf: (form) => (tokens.ofRefresh(form) ?? consents.ofCode(form))?.mailbox,
    bearer: tokens.bearer,
    revoke: tokens.revoke,
    revokeToken: tokens.revokeToken,
    expireAccess: tokens.expireAccess,
    denyConsent: consents.deny,
  };
}

type Tokens = ReturnType<typeof openTokens>;

/** Valid refresh and access tokens. */
function openTokens(clock: VirtualClock) {
  const refreshTokens = new Map<string, Grant>();
  const accessTokens = new Map<string, Grant & { expiresAt: number }>();
  const revoke = (mailbox: Mailbox): void => {
    for (const tokens of [refreshTokens, accessTokens])
      for (const [token, held] of tokens) if (held.mailbox === mailbox) tokens.delete(token);
  };
  return {
    grant: (mailbox: Mailbox, scopes: string[]): string => {
      const token = `1//${randomBytes(32).toString('base64url')}`;
      refreshTokens.set(token, { mailbox, scopes });
      const own = [...refreshTokens].filter(([, other]) => other.mailbox === mailbox);
      for (const [oldest] of own.slice(0, -refreshTokensMax)) refreshTokens.delete(oldest);
      return token;
    },
    hasGrant: (mailbox: Mailbox): boolean => [...refreshTokens.values()].some((held) => held.mailbox === mailbox),
    ofRefresh: (form: URLSearchParams): Grant | undefined => refreshTokens.get(form.get('refresh_token') ?? ''),
    access: ({ mailbox, scopes }: Grant): object => {
      const token = `ya29.${randomBytes(48).toString('base64url')}`;
      accessTokens.set(token, { mailbox, scopes, expiresAt: clock.now().getTime() + accessSeconds * 1000 });
      return { access_token: token, expires_in: accessSeconds, scope: scopes.join(' '), token_type: 'Bearer' };
    },
    bearer: (authorization: string | undefined): Grant | undefined => {
      const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
      const held = accessTokens.get(token);
      if (held === undefined) return undefined;
      if (held.expiresAt > clock.now().getTime()) return held;
      accessTokens.delete(token);
      return undefined;
    },
    revoke,
    revokeToken: (token: string): Answer => {
      const held = refreshTokens.get(token) ?? accessTokens.get(token);
      if (held === undefined) return oauthError(400, 'invalid_token', 'Token expired or revoked');
      revoke(held.mailbox);
      return { status: 200, body: {} };
    },
    expireAccess: (mailbox?: Mailbox): void => {
      for (const [token, held] of accessTokens)
        if (mailbox === undefined || held.mailbox === mailbox) accessTokens.delete(token);
    },
  };
}

/** The consent page, and the codes that it issues until a client redeems them. */
function openConsents({ clock, mailboxes, client }: OAuthOptions, tokens: Tokens) {
  const codes = new Map<string, Code>();
  let isDenied = false;
  const codeFor = (query: URLSearchParams, mailbox: Mailbox, scopes: string[]): string => {
    const code = `4/${randomBytes(24).toString('base64url')}`;
    codes.set(code, {
      mailbox,
      scopes,
      redirectUri: query.get('redirect_uri') ?? '',
      challenge: query.get('code_challenge'),
      hasRefreshToken:
        query.get('access_type') === 'offline' &&
        ((query.get('prompt') ?? '').split(' ').includes('consent') || !tokens.hasGrant(mailbox)),
      expiresAt: clock.now().getTime() + codeLifeMs,
    });
    return code;
  };
  return {
    deny: (value: boolean): void => {
      isDenied = value;
    },
    authorize: (query: URLSearchParams): { redirectTo: string } | { status: number; page: string } => {
      const refused = refusedConsent(query, client.id);
      if (refused !== undefined) return refused;
      const answer = new URL(query.get('redirect_uri') ?? '');
      if (query.has('state')) answer.searchParams.set('state', query.get('state') ?? '');
      if (isDenied) {
        answer.searchParams.set('error', 'access_denied');
        return { redirectTo: answer.href };
      }
      const mailbox = mailboxes.get((query.get('login_hint') ?? '').toLowerCase());
      if (mailbox === undefined) return { status: 200, page: chooser(query, [...mailboxes.keys()]) };
      const asked = (query.get('scope') ?? '').split(' ');
      const scopes = asked.filter((scope) => mailbox.scopes === null || mailbox.scopes.includes(scope));
      answer.searchParams.set('code', codeFor(query, mailbox, scopes));
      answer.searchParams.set('scope', scopes.join(' '));
      return { redirectTo: answer.href };
    },
    ofCode: (form: URLSearchParams): Grant | undefined => codes.get(form.get('code') ?? ''),
    redeem: (form: URLSearchParams): Answer => {
      const code = form.get('code') ?? '';
      const waiting = codes.get(code);
      codes.delete(code);
      if (waiting === undefined || waiting.expiresAt < clock.now().getTime())
        return oauthError(400, 'invalid_grant', 'Bad Request');
      if (form.get('redirect_uri') !== waiting.redirectUri)
        return oauthError(400, 'redirect_uri_mismatch', 'Bad Request');
      const verifier = form.get('code_verifier') ?? '';
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      if (waiting.challenge !== null && waiting.challenge !== challenge)
        return oauthError(400, 'invalid_grant', 'Invalid code verifier.');
      const { mailbox, scopes, hasRefreshToken } = waiting;
      const refreshToken = hasRefreshToken ? { refresh_token: tokens.grant(mailbox, scopes) } : {};
      return { status: 200, body: { ...tokens.access(waiting), ...refreshToken } };
    },
  };
}

function refusedConsent(query: URLSearchParams, clientId: string): { status: number; page: string } | undefined {
  if (query.get('client_id') !== clientId) return { status: 401, page: 'Error 401: invalid_client' };
  const isWhole = URL.canParse(query.get('redirect_uri') ?? '') && (query.get('scope') ?? '') !== '';
  if (query.get('response_type') !== 'code' || !isWhole) return { status: 400, page: 'Error 400: invalid_request' };
  if (query.has('code_challenge') && query.get('code_challenge_method') !== 'S256')
    return { status: 400, page: 'Error 400: invalid_request: code_challenge_method' };
  return undefined;
}

function clientOf(form: URLSearchParams, authorization: string | undefined): (string | null | undefined)[] {
  const basic = /^Basic (\S+)$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined) return [form.get('client_id'), form.get('client_secret')];
  return Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
}

function oauthError(status: number, error: string, description: string): Answer {
  return { status, body: { error, error_description: description } };
}

/** The page on which a user picks a mailbox. */
function chooser(query: URLSearchParams, addresses: string[]): string {
  const links = addresses.map((address) => {
    const link = new URLSearchParams(query);
    link.set('login_hint', address);
    return `<li><a href="?${link.toString().replaceAll('&', '&amp;')}">${escaped(address)}</a></li>`;
  });
  return `<!doctype html><title>Choose an account</title><h1>Choose an account</h1><ul>${links.join('')}</ul>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
