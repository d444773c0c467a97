/**
 * Gets the consent of a mailbox's owner, and its tokens, by the authorization code flow with PKCE (RFC 6749 §4.1, RFC
 * 7636).
 */
import type { OAuthProvider, TokenSet } from '../provider.ts';
import { ProviderFault, type ProviderFaultKind } from '../provider-fault.ts';
import {
  askProvider,
  faultCode,
  jsonOf,
  kindOfStatus,
  type ProviderAnswer,
  type ProviderRequest,
  retryAfterMsOf,
} from './provider-request.ts';

export type OAuthClientOptions = {
  /** The provider's name for people. */
  provider: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
  scopes: readonly string[];
  /** Whether the granted scopes suffice. If not, a person must consent again. */
  isEnough(scopes: readonly string[]): boolean;
  /** The parameters of the consent page that the provider requires beyond the standard. */
  consentParameters: Record<string, string>;
  /** Whether a refresh request names the scopes too. */
  refreshNamesScopes: boolean;
  /** The provider's own explanation of a refusal. It takes precedence over the standard codes. */
  explain?(body: Record<string, unknown>): { kind?: ProviderFaultKind; sentence?: string };
  signal: AbortSignal;
  /** Sends the requests; by default to any address. */
  ask?: (request: ProviderRequest) => Promise<ProviderAnswer>;
};

export type OAuthClient = Pick<OAuthProvider, 'consentUrl' | 'redeemCode' | 'refresh'>;

export function openOAuthClient(options: OAuthClientOptions): OAuthClient {
  const { authorizeUrl, scopes, consentParameters, refreshNamesScopes } = options;
  return {
    consentUrl({ redirectUri, state, codeChallenge, loginHint }) {
      const url = new URL(authorizeUrl);
      const parameters = {
        client_id: clientOf(options).id,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        ...consentParameters,
        ...(loginHint !== undefined && { login_hint: loginHint }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    redeemCode: ({ code, codeVerifier, redirectUri }) =>
      askForTokens(options, {
        grant_type: 'authorization_code',
        code,
        code_verifier: codeVerifier,
        redirect_uri: redirectUri,
      }),
    refresh: (refreshToken) =>
      askForTokens(options, {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        ...(refreshNamesScopes && { scope: scopes.join(' ') }),
      }),
  };
}

function clientOf({ provider, client }: OAuthClientOptions): { id: string; secret: string } {
  if (client !== undefined) return client;
  throw new ProviderFault('misconfigured', 'client_missing', `The application for ${provider} is not set up here.`);
}

async function askForTokens(options: OAuthClientOptions, grant: Record<string, string>): Promise<TokenSet> {
  const { provider, tokenUrl, isEnough, signal, ask = askProvider } = options;
  const { id, secret } = clientOf(options);
  const answer = await ask({
    provider,
    url: tokenUrl,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...grant, client_id: id, ...(secret !== '' && { client_secret: secret }) }).toString(),
    signals: [signal],
  });
  if (answer.status !== 200) throw refusalOf(options, answer);
  const tokens = tokensOf(answer);
  if (tokens === undefined)
    throw new ProviderFault('unavailable', 'no_token', `${provider} answered without an access token.`);
  if (tokens.scopes !== null && !isEnough(tokens.scopes))
    throw new ProviderFault(
      'unauthorized',
      'insufficient_scope',
      `Less was granted at ${provider} than reading and sending mail needs: ` +
        `connect the mailbox again and grant all of it.`,
    );
  return tokens;
}

/**
 * RFC 6749, appendix A.12. With other characters, `fetch` would reject the request with an error that quotes the
 * token.
 */
const tokenPattern = /^[\x20-\x7e]+$/;
/** Longer than any real lifetime. A longer lifetime could not be stored as a date, and the new token would be lost. */
const lifeSecondsMax = 30 * 24 * 3600;

function tokensOf(answer: ProviderAnswer): TokenSet | undefined {
  const { access_token, expires_in, refresh_token, scope } = jsonOf(answer) ?? {};
  const expiresInSeconds = Number(expires_in);
  if (typeof access_token !== 'string' || !tokenPattern.test(access_token) || !(expiresInSeconds > 0)) return undefined;
  return {
    accessToken: access_token,
    expiresInSeconds: Math.min(expiresInSeconds, lifeSecondsMax),
    refreshToken: typeof refresh_token === 'string' && refresh_token !== '' ? refresh_token : null,
    scopes: typeof scope === 'string' ? scope.split(/\s+/).filter((name) => name !== '') : null,
  };
}

/** The error codes of RFC 6749 §5.2, and those of OpenID Connect for steps that a person must take. */
const kinds: Readonly<Record<string, ProviderFaultKind>> = {
  invalid_grant: 'unauthorized',
  interaction_required: 'unauthorized',
  login_required: 'unauthorized',
  consent_required: 'unauthorized',
  access_denied: 'unauthorized',
  invalid_client: 'misconfigured',
  unauthorized_client: 'misconfigured',
  invalid_scope: 'misconfigured',
  invalid_request: 'misconfigured',
  redirect_uri_mismatch: 'misconfigured',
  unsupported_grant_type: 'misconfigured',
  temporarily_unavailable: 'unavailable',
  server_error: 'unavailable',
  // Google sends this code with a 403.
  rate_limit_exceeded: 'throttled',
};

/** Leaves out the provider's own description, because it may name people. */
function refusalOf({ provider, explain }: OAuthClientOptions, answer: ProviderAnswer): ProviderFault {
  const { status } = answer;
  const body = jsonOf(answer) ?? {};
  const code = faultCode(body.error) ?? String(status);
  const explained = explain?.(body) ?? {};
  const isBusy = status === 408 || status === 429 || status >= 500;
  const known = explained.kind ?? kinds[code];
  // An unknown refusal says nothing about the grant or the application, because providers send such refusals under
  // load.
  const kind = isBusy ? kindOfStatus(status) : (known ?? 'unavailable');
  const sentence = (!isBusy && explained.sentence) || `${usualSentence(provider, kind)} (${code})`;
  const passes = kind === 'unavailable' || kind === 'throttled';
  const evidence = !passes ? 'final' : isBusy || known !== undefined ? 'none' : 'denial';
  return new ProviderFault(kind, code, sentence, { retryAfterMs: retryAfterMsOf(answer), evidence });
}

function usualSentence(provider: string, kind: ProviderFaultKind): string {
  switch (kind) {
    case 'unauthorized':
      return `${provider} no longer accepts the consent for this mailbox: connect it again`;
    case 'throttled':
      return `${provider} asks to wait before tokens are asked for again`;
    case 'unavailable':
      return `${provider} could not issue a token just now`;
    default:
      return `${provider} does not accept our application: its registration and the settings do not agree`;
  }
}
