import type { App } from '../../src/app.ts';
import type { OAuthProvider, ProviderAccount } from '../../src/mail/provider.ts';
import type { OAuthKey } from '../../src/mail/providers/registry.ts';

/** The same service with changed provider accounts, for example as if the process died at some point. */
export function withAccounts(
  app: App,
  name: OAuthKey,
  bend: (account: ProviderAccount) => Partial<ProviderAccount>,
): App {
  const provider = app.providers[name];
  const openAccount: OAuthProvider['openAccount'] = (access, sharedAddress) => {
    const account = provider.openAccount(access, sharedAddress);
    return { ...account, ...bend(account) };
  };
  return { ...app, providers: { ...app.providers, [name]: { ...provider, openAccount } } };
}
