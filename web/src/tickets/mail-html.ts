import type { Attachment, Message } from '../api/client.ts';

type RemoteImage = Message['remoteImages'][number];

/**
 * Replaces the `cid:` addresses of inline pictures by the signed addresses of their files.
 * @param shown pictures on other servers to show as well, by signed addresses of our proxy
 */
export function withPictures(
  html: string,
  attachments: readonly Attachment[],
  shown: readonly RemoteImage[] = [],
): string {
  const pictures = attachments.filter(({ isInline }) => isInline);
  const addresses = new Map(pictures.map(({ contentId, url }) => [contentId, url]));
  const inline = html.replace(/\bsrc="cid:([^"]*)"/gi, (whole, escaped: string) => {
    const contentId = unescaped(escaped);
    return sourceOf(addresses.get(contentId) ?? addresses.get(percentDecoded(contentId)), whole);
  });
  if (shown.length === 0) return inline;
  const remote = new Map(shown.map(({ address, url }) => [address, url]));
  return inline.replace(
    /(<img [^<>]*?\b)(data-src="([^"]*)")/g,
    (_, before: string, whole: string, address: string) => before + sourceOf(remote.get(unescaped(address)), whole),
  );
}

function sourceOf(address: string | undefined, otherwise: string): string {
  return address === undefined ? otherwise : `src="${ownAddress(address).replaceAll('&', '&amp;')}"`;
}

/** Addresses may write characters of a Content-ID with a percent sign (RFC 2392). */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** A signed address without its host. The page loads only from its own host, whose name may differ from the address. */
export function ownAddress(address: string): string {
  const { pathname, search } = new URL(address, 'http://localhost');
  return pathname + search;
}

export type RemotePictures = { count: number; hosts: string[] };

/** The pictures that a mail would load from other servers. The service has moved their addresses to `data-src`. */
export function remotePicturesIn(html: string): RemotePictures {
  const addresses = [...html.matchAll(/<img [^<>]*?\bdata-src="([^"]*)"/g)].map(([, address = '']) => address);
  const hosts = addresses.map((address) => URL.parse(address.replaceAll('&amp;', '&'))?.host ?? address);
  return { count: addresses.length, hosts: [...new Set(hosts)] };
}

/** Whether a mail sets colours. Such a mail keeps a white background in the dark theme. */
export function hasColours(html: string): boolean {
  return /\b(?:bgcolor|color)="|style="[^"]*\b(?:background|color)\b/i.test(html);
}
