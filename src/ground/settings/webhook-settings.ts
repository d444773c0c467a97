import { type Network, parseNetwork } from '../lib/networks.ts';
import type { SettingsReader } from './settings-reader.ts';

export type WebhookSettings = {
  /** Networks that webhooks may reach in addition to the Internet. */
  webhookAllowedNetworks: readonly Network[];
  /** Networks whose mail servers mailboxes may use, in addition to the Internet. */
  mailAllowedNetworks: readonly Network[];
};

export function readWebhookSettings(read: SettingsReader): WebhookSettings {
  return {
    webhookAllowedNetworks: networksOf(read, 'WEBHOOK_ALLOWED_NETWORKS', read.list('WEBHOOK_ALLOWED_NETWORKS', [])),
    mailAllowedNetworks: networksOf(read, 'MAIL_ALLOWED_NETWORKS', read.list('MAIL_ALLOWED_NETWORKS', [])),
  };
}

export function networksOf(read: SettingsReader, name: string, texts: readonly string[]): Network[] {
  return texts.flatMap((text) => {
    const network = parseNetwork(text);
    if (network === undefined) read.faults.push(`${name}: "${text}" is not an IP address or network`);
    return network === undefined ? [] : [network];
  });
}
