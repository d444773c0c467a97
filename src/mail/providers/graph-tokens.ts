/** Consent and tokens of Microsoft 365 mailboxes, as Entra ID gives them. */
import type { ProviderFaultKind } from '../provider.ts';
import { type OAuthClient, openOAuthClient } from './oauth-client.ts';
import { faultCode } from './provider-request.ts';

const resource = 'https://graph.microsoft.com/';
const permissions = ['Mail.ReadWrite', 'Mail.Send', 'User.Read'];

export function openGraphTokens(options: {
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
  signal: AbortSignal;
}): OAuthClient {
  const client = openOAuthClient({
    ...options,
    provider: 'Microsoft 365',
    scopes: ['offline_access', ...permissions.map((permission) => resource + permission)],
    isEnough,
    consentParameters: { response_mode: 'query' },
    refreshNamesScopes: true,
    explain,
  });
  return {
    ...client,
    consentUrl(consent) {
      const url = new URL(client.consentUrl(consent));
      // Whoever connects a mailbox is mostly signed in with an account of his own, which would be taken unasked.
      if (consent.loginHint === undefined) url.searchParams.set('prompt', 'select_account');
      return url.href;
    },
  };
}

/** They come with and without the resource, in any case. `offline_access` is never among them. */
function isEnough(scopes: readonly string[]): boolean {
  const granted = new Set(scopes.map((scope) => scope.slice(scope.lastIndexOf('/') + 1).toLowerCase()));
  return permissions.every((permission) => granted.has(permission.toLowerCase()));
}

const again = 'connect the mailbox again';

/** Entra's own numbers of what people can do something about. */
const causes: Readonly<Record<number, { kind: ProviderFaultKind; sentence: string }>> = {
  50173: { kind: 'unauthorized', sentence: `The consent for this mailbox was revoked: ${again}` },
  70008: { kind: 'unauthorized', sentence: `The consent for this mailbox has expired: ${again}` },
  700082: {
    kind: 'unauthorized',
    sentence: `The consent for this mailbox has expired, for it was long unused: ${again}`,
  },
  50076: { kind: 'unauthorized', sentence: `Microsoft 365 asks the mailbox's owner for a second factor: ${again}` },
  50079: { kind: 'unauthorized', sentence: `Microsoft 365 asks the mailbox's owner for a second factor: ${again}` },
  65001: { kind: 'unauthorized', sentence: `Nobody has consented yet, or no longer does: ${again}` },
  53003: {
    kind: 'unauthorized',
    sentence: `A rule of the mailbox's administrator (conditional access) refuses: have it allow this, then ${again}`,
  },
  50057: { kind: 'unauthorized', sentence: `The mailbox's account is disabled: have it enabled, then ${again}` },
  7000215: { kind: 'misconfigured', sentence: "The application's client secret is wrong: the operator must mend it" },
  7000222: {
    kind: 'misconfigured',
    sentence: "The application's client secret has expired: the operator must set a new one",
  },
  700016: {
    kind: 'misconfigured',
    sentence: 'Entra ID does not know the application: the operator must mend its client id or its registration',
  },
};

function explain({ error_codes, error }: Record<string, unknown>): { kind?: ProviderFaultKind; sentence?: string } {
  for (const number of Array.isArray(error_codes) ? error_codes : []) {
    const cause = causes[Number(number)];
    if (cause !== undefined)
      return { ...cause, sentence: `${cause.sentence} (${faultCode(error) ?? 'refused'}, AADSTS${Number(number)})` };
  }
  return {};
}
