/** Consent and tokens of Microsoft 365 mailboxes, as Entra ID gives them. */
import type { MailProvider } from '../provider.ts';
import { explainRefusal } from './entra-refusals.ts';
import { type OAuthClient, openOAuthClient } from './oauth-client.ts';

const permissions = ['Mail.ReadWrite', 'Mail.Send', 'User.Read'];

export function openGraphTokens({
  apiUrl,
  ...options
}: {
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
  signal: AbortSignal;
}): OAuthClient & Pick<MailProvider, 'adminConsentUrl'> {
  // Each national cloud has a Graph of its own, and its tokens are for that one alone.
  const resource = `${new URL(apiUrl).origin}/`;
  const scopes = ['offline_access', ...permissions.map((permission) => resource + permission)];
  const client = openOAuthClient({
    ...options,
    provider: 'Microsoft 365',
    scopes,
    isEnough,
    consentParameters: { response_mode: 'query' },
    refreshNamesScopes: true,
    explain: explainRefusal,
  });
  return {
    ...client,
    consentUrl(consent) {
      const url = new URL(client.consentUrl(consent));
      // Whoever connects a mailbox is mostly signed in with an account of his own, which would be taken unasked.
      if (consent.loginHint === undefined) url.searchParams.set('prompt', 'select_account');
      return url.href;
    },
    adminConsentUrl({ redirectUri, state }) {
      const url = adminConsentPage(options.authorizeUrl);
      if (url === undefined || options.client === undefined) return null;
      const parameters = { client_id: options.client.id, scope: scopes.join(' '), redirect_uri: redirectUri, state };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
  };
}

/**
 * learn.microsoft.com/entra/identity-platform/v2-admin-consent: beside the page where people consent, and not for `common`.
 * Personal accounts have no administrator.
 */
function adminConsentPage(authorizeUrl: string): URL | undefined {
  const [, before, tenant] = /^(https?:\/\/.*\/)([^/?]+)\/oauth2\/v2\.0\/authorize$/.exec(authorizeUrl) ?? [];
  if (before === undefined || tenant === 'consumers') return undefined;
  return new URL(`${before}${tenant === 'common' ? 'organizations' : tenant}/v2.0/adminconsent`);
}

/** They come with and without the resource, in any case. `offline_access` is never among them. */
function isEnough(scopes: readonly string[]): boolean {
  const granted = new Set(scopes.map((scope) => scope.slice(scope.lastIndexOf('/') + 1).toLowerCase()));
  return permissions.every((permission) => granted.has(permission.toLowerCase()));
}
