/** Gets consent and tokens for Microsoft 365 mailboxes from Entra ID. */
import type { OAuthProvider, Reach } from '../provider.ts';
import { explainRefusal } from './entra-refusals.ts';
import { type OAuthClient, openOAuthClient } from './oauth-client.ts';

const ownPermissions = ['Mail.ReadWrite', 'Mail.Send', 'User.Read'];
/** learn.microsoft.com/graph/outlook-share-messages-folders */
const sharedPermissions = ['Mail.ReadWrite.Shared', 'Mail.Send.Shared', 'User.Read'];

export function openGraphTokens({
  apiUrl,
  ...options
}: {
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
  signal: AbortSignal;
}): OAuthClient & Pick<OAuthProvider, 'adminConsentUrl'> {
  // Each national cloud has its own Graph, and a token is valid for only one Graph.
  const resource = `${new URL(apiUrl).origin}/`;
  const clientFor = (permissions: readonly string[]) => {
    const scopes = ['offline_access', ...permissions.map((permission) => resource + permission)];
    return {
      scopes,
      ...openOAuthClient({
        ...options,
        provider: 'Microsoft 365',
        scopes,
        isEnough: (granted) => holds(granted, permissions),
        consentParameters: { response_mode: 'query' },
        refreshNamesScopes: true,
        explain: explainRefusal,
      }),
    };
  };
  const [own, shared] = [clientFor(ownPermissions), clientFor(sharedPermissions)];
  const clientOf = ({ isShared = false }: Reach) => (isShared ? shared : own);
  return {
    redeemCode: (grant) => clientOf(grant).redeemCode(grant),
    refresh: (refreshToken, reach = {}) => clientOf(reach).refresh(refreshToken),
    consentUrl(consent) {
      const url = new URL(clientOf(consent).consentUrl(consent));
      // People who connect a mailbox are often signed in to their own account, and Entra would use it without asking.
      if (consent.loginHint === undefined) url.searchParams.set('prompt', 'select_account');
      return url.href;
    },
    adminConsentUrl({ redirectUri, state, ...reach }) {
      const url = adminConsentPage(options.authorizeUrl);
      if (url === undefined || options.client === undefined) return null;
      const scope = clientOf(reach).scopes.join(' ');
      const parameters = { client_id: options.client.id, scope, redirect_uri: redirectUri, state };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
  };
}

/**
 * Returns the page of learn.microsoft.com/entra/identity-platform/v2-admin-consent. Its address is beside the normal
 * consent page, but does not allow `common`. Personal accounts have no administrator.
 */
function adminConsentPage(authorizeUrl: string): URL | undefined {
  const [, before, tenant] = /^(https?:\/\/.*\/)([^/?]+)\/oauth2\/v2\.0\/authorize$/.exec(authorizeUrl) ?? [];
  if (before === undefined || tenant === 'consumers') return undefined;
  return new URL(`${before}${tenant === 'common' ? 'organizations' : tenant}/v2.0/adminconsent`);
}

/** Entra lists granted scopes with or without the resource, in any case, and never lists `offline_access`. */
function holds(granted: readonly string[], permissions: readonly string[]): boolean {
  const names = new Set(granted.map((scope) => scope.slice(scope.lastIndexOf('/') + 1).toLowerCase()));
  return permissions.every((permission) => names.has(permission.toLowerCase()));
}
