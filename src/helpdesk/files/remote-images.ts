import type { Network } from '../../ground/lib/networks.ts';
import { openPublicWeb } from '../../ground/platform/public-web.ts';
import type { ResolveName } from '../../ground/platform/reach.ts';
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
export function openRemoteImages(allowed: readonly Network[], resolve: ResolveName): RemoteImages {
  const ask = openPublicWeb(allowed, resolve);
  return {
    fetch: async (address) => {
      try {
        const answer = await ask(address, { headers, bytesMax, timeoutMs, redirectsMax, mayBePlain: true });
        if (answer?.status !== 200) return undefined;
        const { bytes } = answer;
        const contentType = await contentTypeOf(bytes, '');
        return shown.has(contentType) ? { bytes, contentType } : undefined;
      } catch {
        // Faults of other people's servers are expected.
        return undefined;
      }
    },
  };
}
