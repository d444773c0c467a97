import { isIP } from 'node:net';
import { AppError } from '../lib/errors.ts';
import { isLoopback } from '../lib/networks.ts';
import type { Server } from './http.ts';

/** The host of a `Host` header without the port. Undefined for a header that is missing or no host. */
export function hostOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length > 300 || !URL.canParse(`http://${header}`)) return undefined;
  return new URL(`http://${header}`).hostname.replace(/^\[|\]$/g, '');
}

/**
 * A service without a public address serves only this machine. A page of another site can point its own name at this
 * machine (DNS rebinding), and would then read the service's answers as its own. So only hosts that nobody can register
 * are served: addresses, names of this machine, names without a dot, as in a network of containers, and names below the
 * domains that are kept for private networks and tests.
 */
export function installOwnHost(server: Server, publicUrl: string): void {
  if (!isLoopback(new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''))) return;
  server.addHook('onRequest', (request, _reply, done) => {
    const { host: header } = request.headers;
    const host = hostOf(header);
    const isOwn = header === undefined || (host !== undefined && isUnregistrable(host));
    done(isOwn ? undefined : new AppError('request.foreign_host'));
  });
}

/** Source: RFC 2606, RFC 6762, RFC 8375, and ICANN's resolution 2024.07.29.06 for `internal`. */
const reservedDomains = ['.example', '.home.arpa', '.internal', '.local', '.test'];

function isUnregistrable(host: string): boolean {
  if (isIP(host) !== 0 || isLoopback(host) || !host.includes('.')) return true;
  return reservedDomains.some((domain) => host.endsWith(domain));
}
