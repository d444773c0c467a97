import type { Network } from '../lib/networks.ts';
import type { SettingsReader } from './settings-reader.ts';
import { networksOf } from './webhook-settings.ts';

export type PushSettings = {
  /** Whom push services may ask about our messages (RFC 8292). Undefined: push is switched off. */
  pushContact: string | undefined;
  /** Networks whose push services may be reached in addition to the Internet. */
  pushAllowedNetworks: readonly Network[];
};

/** @param fallback an address of this installation */
export function readPushSettings(read: SettingsReader, fallback: { publicUrl: string; email: string }): PushSettings {
  const contact = read.url('WEB_PUSH_CONTACT', ['https:', 'mailto:']);
  const ours = fallback.publicUrl.startsWith('https:') ? fallback.publicUrl : `mailto:${fallback.email}`;
  return {
    pushContact: read.choice('WEB_PUSH', ['on', 'off']) === 'off' ? undefined : (contact ?? ours),
    pushAllowedNetworks: networksOf(read, 'WEB_PUSH_ALLOWED_NETWORKS', read.list('WEB_PUSH_ALLOWED_NETWORKS', [])),
  };
}
