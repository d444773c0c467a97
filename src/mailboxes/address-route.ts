import { caseKey } from '../lib/text.ts';
import type { ProviderName } from '../mail/provider.ts';

/**
 * The route by which an address is connected once at a time: Gmail's notifications name the address itself, Graph's a
 * subscription, so there the address only keeps its place.
 */
export function addressRoute(provider: ProviderName, address: string): string {
  return provider === 'mail-b' ? caseKey(address) : `address:${caseKey(address)}`;
}
