import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Reads `10.0.0.0/8`, `fd00::/8` or a single address. Returns undefined for any other text. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const kind = isIP(address);
  if (kind === 0 || rest.length > 0) return undefined;
  const bits = prefix ?? (kind === 4 ? '32' : '128');
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128)
    ? ipaddr.parseCIDR(`${address}/${bits}`)
    : undefined;
}

/** @param address an IP address in any of its forms */
export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  const meant = meantAddress(address);
  return networks.some(([network, bits]) => network.kind() === meant.kind() && meant.match(network, bits));
}

/** Whether a host name or an IP address, in any of its forms, is this machine's loopback. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost' || host.endsWith('.localhost');
  return meantAddress(host).range() === 'loopback';
}

/**
 * Whether an IP address belongs to a private network. Tunnel addresses such as 6to4's do not count as private, because
 * strangers may connect from them.
 */
export function isPrivateAddress(address: string): boolean {
  return privateRanges.has(meantAddress(address).range());
}

const privateRanges: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
]);

/**
 * Whether an IP address is on the public Internet. Addresses of this machine and its networks are not, and neither are
 * tunnel addresses that may lead to them (RFC 6890, RFC 6598, RFC 4193).
 */
export function isPublicAddress(address: string): boolean {
  const meant = meantAddress(address);
  if (meant.range() !== 'unicast') return false;
  // The rest of IPv6 is not allocated (RFC 4291).
  if (meant.kind() === 'ipv6') return meant.match(globalUnicast);
  return !isInNetworks(address, cloudInternals);
}

const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** This address looks public, but machines in Azure fetch their secrets from it. */
const cloudInternals: readonly Network[] = [ipaddr.parseCIDR('168.63.129.16/32')];
/** NAT64 (RFC 6052): IPv6-only networks reach all IPv4 addresses through this prefix. */
const translated = ipaddr.parseCIDR('64:ff9b::/96');

/** Unwraps an IPv4 address that is written as IPv6: mapped (RFC 4291 §2.5.5.2) or NAT64 (RFC 6052). */
function meantAddress(text: string): Address {
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4' || !address.match(translated)) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(-4));
}
