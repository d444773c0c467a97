import { caseKey } from '../../ground/lib/text.ts';
import { type ProviderKey, traitsOf } from '../providers/registry.ts';

/**
 * The route that reserves an address, so that it is connected only once. Gmail's notifications name the address
 * itself. Graph's name a subscription, so there this route only reserves.
 */
export function addressRoute(provider: ProviderKey, address: string): string {
  return traitsOf(provider).addressIsRoute ? caseKey(address) : `address:${caseKey(address)}`;
}
