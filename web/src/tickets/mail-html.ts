import type { Attachment, Message } from '../api/client.ts';

type RemoteImage = Message['remoteImages'][number];

/**
 * Inline pictures are named by `cid:` in the HTML, and shown by the signed addresses of their files.
 * @param shown pictures on other servers that are shown too, by our signed addresses
 */
export function withPictures(
  html: string,
  attachments: readonly Attachment[],
  shown: readonly RemoteImage[] = [],
): string {
  const addresses = new Map(attachments.map(({ contentId, url }) => [contentId, url]));
  const inline = html.replace(/\bsrc="cid:([^"]*)"/g, (whole, contentId: string) =>
    sourceOf(addresses.get(contentId.replaceAll('&amp;', '&')), whole),
  );
  if (shown.length === 0) return inline;
  const remote = new Map(shown.map(({ address, url }) => [address, url]));
  return inline.replace(
    /(<img [^>]*?\b)(data-src="([^"]*)")/g,
    (_, before: string, whole: string, address: string) => before + sourceOf(remote.get(unescaped(address)), whole),
  );
}

function sourceOf(address: string | undefined, otherwise: string): string {
  return address === undefined ? otherwise : `src="${ownAddress(address).replaceAll('&', '&amp;')}"`;
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** A signed address without its host: whatever name the service is called by here, the page loads from itself alone. */
export function ownAddress(address: string): string {
  const { pathname, search } = new URL(address, 'http://localhost');
  return pathname + search;
}

export type RemotePictures = { count: number; hosts: string[] };

/** The pictures that a mail would load from elsewhere; the service has moved their addresses to `data-src`. */
export function remotePicturesIn(html: string): RemotePictures {
  const addresses = [...html.matchAll(/<img [^>]*?\bdata-src="([^"]*)"/g)].map(([, address = '']) => address);
  const hosts = addresses.map((address) => URL.parse(address.replaceAll('&amp;', '&'))?.host ?? address);
  return { count: addresses.length, hosts: [...new Set(hosts)] };
}

/** Whether a mail brings colours of its own: such a mail stays on white paper in the dark. */
export function hasColours(html: string): boolean {
  return /\b(?:bgcolor|color)="|style="[^"]*\b(?:background|color)\b/i.test(html);
}
