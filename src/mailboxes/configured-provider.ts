import { AppError, invalidRequest } from '../lib/errors.ts';
import type { MailProvider, ProviderName } from '../mail/provider.ts';
import type { MailboxSettings } from '../settings/mailbox-settings.ts';

type Parts = { config: MailboxSettings; providers: Record<ProviderName, MailProvider> };

/** Throws 400 when the settings name no application at the provider. */
export function configuredProvider({ config, providers }: Parts, name: ProviderName): MailProvider {
  const { client } = name === 'mail-a' ? config.mailA : config.mailB;
  if (client === undefined) throw new AppError('mailbox.provider_not_configured');
  return providers[name];
}

/** Gmail has no shared mailboxes. Throws 400. */
export function refuseShared(name: ProviderName, sharedAddress: string | undefined): void {
  if (sharedAddress !== undefined && name !== 'mail-a')
    throw invalidRequest({ path: 'body.sharedAddress', message: 'is possible for mail-a only' });
}
