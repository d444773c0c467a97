import { atSignOut } from '../lib/at-sign-out.ts';
import { randomId } from '../lib/random-id.ts';
import { paths } from '../paths.ts';
import { nextAddress } from './next-address.ts';
import type { PublicConfig } from './queries.ts';

type Provider = PublicConfig['identityProviders'][number];
/** `link` adds the provider's account to the account that is signed in. */
type Purpose = 'signIn' | 'link';
type Asked = { provider: Provider['provider']; purpose: Purpose; next: string };
type Begun = Asked & { state: string; nonce: string };
export type ProviderAnswer = Asked & { idToken: string; nonce: string };
export type ProviderRefusal = Asked & { refusal: string };

const key = 'kontor.provider-sign-in';

/**
 * Sends the browser to the provider, which sends it back to the sign-in page with a token after the `#`. Links begin
 * there too, because a provider knows only the addresses that an operator named to it.
 */
export function beginAt({ provider, clientId, authorizeUrl }: Provider, purpose: Purpose): void {
  if (authorizeUrl === null) return;
  const begun: Begun = {
    state: randomId(),
    nonce: randomId(),
    provider,
    purpose,
    next: purpose === 'link' ? window.location.pathname : nextAddress(window.location.search),
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
 * Reads a provider's answer in the address. Ignores an answer that this tab did not ask for: an attacker could send one
 * to sign a person in to the attacker's account.
 * @returns undefined without an answer; `refusal` has the provider's reason where it refused
 */
export function readAnswer(): ProviderAnswer | ProviderRefusal | undefined {
  const given = new URLSearchParams(window.location.hash.slice(1));
  const stored = sessionStorage.getItem(key);
  if (!given.has('state') || stored === null) return undefined;
  const { state, nonce, ...asked } = JSON.parse(stored) as Begun; // `beginAt` wrote it
  if (given.get('state') !== state) return undefined;
  const idToken = given.get('id_token');
  return idToken === null
    ? { ...asked, refusal: given.get('error_description') ?? given.get('error') ?? '' }
    : { ...asked, idToken, nonce };
}

/** Removes the answer. Not while React renders, as React may render a page twice before it shows the page. */
export function forgetAnswer(): void {
  if (!new URLSearchParams(window.location.hash.slice(1)).has('state')) return;
  sessionStorage.removeItem(key);
  window.history.replaceState(null, '', window.location.pathname + window.location.search);
}

let toLink: ProviderAnswer | ProviderRefusal | undefined;

/** Keeps an answer in memory until the security settings show it. Linking also needs the person's password. */
export function keepForLink(answer: ProviderAnswer | ProviderRefusal | undefined): void {
  toLink = answer;
}

atSignOut({ forget: () => keepForLink(undefined) });

export function answerForLink(): ProviderAnswer | ProviderRefusal | undefined {
  return toLink;
}
