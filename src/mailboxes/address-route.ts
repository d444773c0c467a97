import { caseKey } from '../lib/text.ts';
import type { ProviderName } from '../mail/provider.ts';

/**
 * The route that reserves an address, so that it is connected only once. Gmail's notifications name the address
 * itself. Graph's name a subscription, so there this route only reserves.
 */
export function addressRoute(provider: ProviderName, address: string): string {
  return provider === 'mail-b' ? caseKey(address) : `address:${caseKey(address)}`;
}
