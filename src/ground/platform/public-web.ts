import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { gatherBytes } from '../lib/join-bytes.ts';
import type { Network } from '../lib/networks.ts';
import { lookupAmong, orAbort, type ResolveName, reachableAddresses } from './reach.ts';

type WebRequest = {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  bytesMax: number;
  timeoutMs: number;
  redirectsMax?: number;
  /** Whether plain HTTP is allowed, also on the Internet. */
  mayBePlain?: boolean;
};
export type WebAnswer = { status: number; bytes: Buffer };

/**
 * Asks web servers whose addresses strangers name. Each address is checked, also those of redirects.
 * @returns undefined for an answer that is too large or leads to an address that is not allowed
 * Rejects when a server is out of reach.
 */
export type PublicWeb = (address: string, request: WebRequest) => Promise<WebAnswer | undefined>;

/** @param allowed networks that may be reached in addition to the Internet */
export function openPublicWeb(allowed: readonly Network[], resolve: ResolveName): PublicWeb {
  return async (address, request) => {
    const signal = AbortSignal.timeout(request.timeoutMs);
    const { redirectsMax = 0, mayBePlain = false } = request;
    let url = new URL(address);
    for (let turn = 0; turn <= redirectsMax; turn++) {
      if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
      const addresses = await orAbort(reachableAddresses(url, { allowed, resolve, mayBePlain }), signal);
      const answer = await ask(url, request, { addresses, signal });
      const { statusCode: status = 0, headers } = answer;
      if (status < 300 || status > 399 || headers.location === undefined) {
        const bytes = await gatherBytes(answer, request.bytesMax);
        return bytes === undefined ? undefined : { status, bytes };
      }
      answer.destroy();
      url = new URL(headers.location, url);
    }
    return undefined;
  };
}

function ask(
  url: URL,
  { method = 'GET', headers = {}, body = '' }: WebRequest,
  { addresses, signal }: { addresses: readonly string[]; signal: AbortSignal },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    const length = method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {};
    const options = {
      method,
      headers: { ...headers, ...length },
      agent: false,
      lookup: lookupAmong(addresses),
      signal,
    };
    request(url, options, resolve).on('error', reject).end(body);
  });
}
