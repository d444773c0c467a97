import { randomId } from '../lib/random-id.ts';
import { paths } from '../paths.ts';
import { nextAddress } from './next-address.ts';
import type { PublicConfig } from './queries.ts';

type Provider = PublicConfig['identityProviders'][number];
type Begun = { state: string; nonce: string; provider: Provider['provider']; next: string };
export type ProviderAnswer = { provider: Provider['provider']; idToken: string; nonce: string; next: string };

const key = 'kontor.provider-sign-in';

/** Sends the browser to the provider, which sends it back to the sign-in page with a token after the `#`. */
export function beginAt({ provider, clientId, authorizeUrl }: Provider): void {
  if (authorizeUrl === null) return;
  const begun: Begun = {
    state: randomId(),
    nonce: randomId(),
    provider,
    next: nextAddress(window.location.search),
  };
  sessionStorage.setItem(key, JSON.stringify(begun));
  const address = new URL(authorizeUrl);
  const asked = {
    client_id: clientId,
    response_type: 'id_token',
    response_mode: 'fragment',
    scope: 'openid email profile',
    redirect_uri: window.location.origin + paths.signIn,
    state: begun.state,
    nonce: begun.nonce,
    prompt: 'select_account',
  };
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  window.location.assign(address);
}

/**
 * Takes a provider's answer out of the address. Ignores an answer that this tab did not ask for: an attacker could send
 * one to sign a person in to the attacker's account.
 * @returns undefined without an answer; `refusal` has the provider's reason where it refused
 */
export function takeAnswer(): ProviderAnswer | { refusal: string } | undefined {
  const given = new URLSearchParams(window.location.hash.slice(1));
  const stored = sessionStorage.getItem(key);
  if (!given.has('state') || stored === null) return undefined;
  sessionStorage.removeItem(key);
  window.history.replaceState(null, '', window.location.pathname + window.location.search);
  const { state, nonce, provider, next } = JSON.parse(stored) as Begun; // `beginAt` wrote it
  if (given.get('state') !== state) return undefined;
  const idToken = given.get('id_token');
  return idToken === null
    ? { refusal: given.get('error_description') ?? given.get('error') ?? '' }
    : { provider, idToken, nonce, next };
}
