import type { PublicWeb } from '../../../ground/platform/public-web.ts';
import type { OAuthProvider } from '../../provider.ts';
import { ProviderFault } from '../../provider-fault.ts';
import { openOAuthClient } from '../../providers/oauth-client.ts';
import type { ProviderAnswer, ProviderRequest } from '../../providers/provider-request.ts';

/** Where the servers' access tokens come from (RFC 6749 §6). */
export type TokenGrant = { tokenUrl: string; clientId: string; clientSecret: string | null; scope: string | null };

const limits = { bytesMax: 65_536, timeoutMs: 20_000 };

/** Renews tokens at an address that a person named, so it is checked. */
export function tokenEndpoint(
  { tokenUrl, clientId, clientSecret, scope }: TokenGrant,
  web: PublicWeb,
): Pick<OAuthProvider, 'refresh'> {
  const provider = URL.canParse(tokenUrl) ? new URL(tokenUrl).host : tokenUrl;
  return openOAuthClient({
    provider,
    tokenUrl,
    authorizeUrl: tokenUrl,
    client: { id: clientId, secret: clientSecret ?? '' },
    scopes: scope === null ? [] : [scope],
    isEnough: () => true,
    consentParameters: {},
    refreshNamesScopes: scope !== null,
    signal: new AbortController().signal,
    ask: (request) => askChecked(request, web),
  });
}

async function askChecked(
  { provider, url, headers = {}, body }: ProviderRequest,
  web: PublicWeb,
): Promise<ProviderAnswer> {
  const unavailable = (code: string, sentence: string, cause?: unknown) =>
    new ProviderFault('unavailable', code, `${provider}: ${sentence}`, { cause });
  try {
    const answer = await web(url, { ...limits, method: 'POST', headers, body: String(body) });
    if (answer === undefined) throw unavailable('no_answer', 'it gave no answer that can be used.');
    return { status: answer.status, headers: new Headers(), body: answer.bytes };
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    throw unavailable('unreachable', 'it cannot be reached, or is not at an address that mailboxes may use.', error);
  }
}
