/** Checks the addresses of servers that strangers name, before the service connects to them. */

import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { IssueKey } from '../lib/issues.ts';
import { isInNetworks, isPublicAddress, type Network } from '../lib/networks.ts';

/** All addresses of a name. Throws, or returns an empty list, for a name without addresses. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** `advice` is for the person who entered the address, `message` for the log of deliveries. */
type Obstacle = { message: string; advice: IssueKey; isForGood: boolean };

export const unresolved: Obstacle = {
  message: 'Its name does not resolve.',
  advice: 'url_unresolved',
  isForGood: false,
};
const unreachable: Obstacle = {
  message: 'Its address is in a network that the service may not reach.',
  advice: 'url_unreachable',
  isForGood: true,
};
export const unencrypted: Obstacle = {
  message: 'It must be reached by https.',
  advice: 'url_not_https',
  isForGood: true,
};

export class UnreachedError extends Error {
  readonly advice: IssueKey;
  readonly isForGood: boolean;

  constructor({ message, advice, isForGood }: Obstacle) {
    super(message);
    this.advice = advice;
    this.isForGood = isForGood;
  }
}

/**
 * Resolves the host of a URL and checks each address. One forbidden address fails the whole URL.
 * The caller must connect to exactly these addresses. A name server then cannot switch to another address after the
 * check (DNS rebinding).
 * @param allowed networks that may be reached in addition to the Internet, and without TLS
 * @param mayBePlain allows the Internet without TLS as well
 */
export async function reachableAddresses(
  url: URL,
  { allowed, resolve, mayBePlain = false }: { allowed: readonly Network[]; resolve: ResolveName; mayBePlain?: boolean },
): Promise<string[]> {
  const addresses = await addressesOf(url.hostname.replace(/^\[|\]$/g, ''), resolve);
  const isOurs = (address: string) => isInNetworks(address, allowed);
  if (!addresses.every((address) => isOurs(address) || isPublicAddress(address))) throw new UnreachedError(unreachable);
  if (url.protocol !== 'https:' && !mayBePlain && !addresses.every(isOurs)) throw new UnreachedError(unencrypted);
  return addresses;
}

async function addressesOf(host: string, resolve: ResolveName): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  // RFC 6761 §6.3: name servers must not be asked for localhost.
  if (/^(.+\.)?localhost\.?$/.test(host)) return ['127.0.0.1', '::1'];
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new UnreachedError(unresolved);
  return [...addresses];
}

const resolver = { timeout: 2_000, tries: 2 };

/** Avoids the system's look-up, which blocks one of Node's four threads for as long as the name server takes. */
export async function resolveByDns(name: string): Promise<string[]> {
  const dns = new Resolver(resolver);
  const answers = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/** A look-up that returns the checked addresses, even if the name resolves differently by now. */
export function lookupAmong(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all }, callback) => {
    const [first] = entries;
    if (all || first === undefined) callback(null, entries);
    else callback(null, first.address, first.family);
  };
}

export function orAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}
