import { type Network, parseNetwork } from '../lib/networks.ts';
import type { SettingsReader } from './settings-reader.ts';

export type WebhookSettings = {
  /** Networks that webhooks may reach in addition to the Internet. */
  webhookAllowedNetworks: readonly Network[];
};

export function readWebhookSettings(read: SettingsReader): WebhookSettings {
  const webhookAllowedNetworks = read.list('WEBHOOK_ALLOWED_NETWORKS', []).flatMap((text) => {
    const network = parseNetwork(text);
    if (network === undefined) read.faults.push(`WEBHOOK_ALLOWED_NETWORKS: "${text}" is not an IP address or network`);
    return network === undefined ? [] : [network];
  });
  return { webhookAllowedNetworks };
}
