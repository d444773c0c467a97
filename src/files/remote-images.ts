import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Network } from '../lib/networks.ts';
import { lookupAmong, orAbort, type ResolveName, reachableAddresses, resolveByDns } from '../platform/reach.ts';
import { contentTypeOf } from './content-type.ts';

type Picture = { bytes: Buffer; contentType: string };

/** Fetches pictures from other servers for readers, so that these servers do not learn who reads a mail and when. */
export type RemoteImages = {
  /** @returns undefined if the picture cannot be fetched, for any reason */
  fetch(address: string): Promise<Picture | undefined>;
};

const bytesMax = 5 * 1024 * 1024;
const timeoutMs = 10_000;
const redirectsMax = 3;
/** Types that browsers show and that cannot contain scripts. SVG can. */
const shown: ReadonlySet<string> = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);
/** The same headers for every reader, without cookies or a referrer. */
const headers = {
  accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif',
  'user-agent': 'Mozilla/5.0 (Kontor)',
};

/** @param allowed networks that may be reached in addition to the Internet */
export function openRemoteImages(allowed: readonly Network[], resolve: ResolveName = resolveByDns): RemoteImages {
  return {
    fetch: async (address) => {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const bytes = await follow(new URL(address), { allowed, resolve, signal });
        if (bytes === undefined) return undefined;
        const contentType = await contentTypeOf(bytes, '');
        return shown.has(contentType) ? { bytes, contentType } : undefined;
      } catch {
        // Faults of other people's servers are expected.
        return undefined;
      }
    },
  };
}

type Way = { allowed: readonly Network[]; resolve: ResolveName; signal: AbortSignal };

/** Follows redirects and checks every address on the way. */
async function follow(first: URL, { signal, ...guard }: Way): Promise<Buffer | undefined> {
  let url = first;
  for (let turn = 0; turn <= redirectsMax; turn++) {
    if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
    const addresses = await orAbort(reachableAddresses(url, { ...guard, mayBePlain: true }), signal);
    const answer = await ask(url, addresses, signal);
    const { statusCode = 0, headers: told } = answer;
    if (statusCode === 200) return bytesOf(answer);
    answer.destroy();
    if (statusCode < 300 || statusCode > 399 || told.location === undefined) return undefined;
    url = new URL(told.location, url);
  }
  return undefined;
}

function ask(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { get } = url.protocol === 'https:' ? https : http;
    get(url, { headers, agent: false, lookup: lookupAmong(addresses), signal }, resolve).on('error', reject);
  });
}

/** @returns undefined for an answer above the size limit */
async function bytesOf(answer: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    // Leaving the loop destroys the answer's stream.
    if (size > bytesMax) return undefined;
  }
  return Buffer.concat(chunks);
}
