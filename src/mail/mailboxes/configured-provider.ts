import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { MailboxSettings } from '../../ground/settings/mailbox-settings.ts';
import type { OAuthProvider, Providers } from '../provider.ts';
import type { OAuthKey } from '../providers/registry.ts';

type ProviderParts = { config: MailboxSettings; providers: Providers };

type Meant = { provider: OAuthKey; sharedAddress?: string };

/** Throws 400 for a shared mailbox where there are none, and when the settings name no application at the provider. */
export function configuredProvider(
  { config, providers }: ProviderParts,
  { provider: key, sharedAddress }: Meant,
): OAuthProvider {
  const provider = providers[key];
  if (sharedAddress !== undefined && !provider.hasSharedMailboxes)
    throw invalidRequest({ path: 'body.sharedAddress', key: 'not_shareable' });
  if (config[provider.name].client === undefined) throw new AppError('mailbox.provider_not_configured');
  return provider;
}
