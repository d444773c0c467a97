import { unescapeHtml } from '@kontor/mail/html/html-text.ts';

/** The most addresses listed for one message. */
const addressesMax = 200;
const addressCharsMax = 8_000;

/**
 * The addresses of the remote images in sanitised HTML, each once, in order of appearance.
 * @param html as `sanitizeHtml` returns it: with the addresses of remote images in `data-src`
 */
export function remoteAddressesIn(html: string): string[] {
  const found = new Set<string>();
  for (const [, escaped = ''] of html.matchAll(/<img [^<>]*?\bdata-src="([^"]*)"/g)) {
    const address = unescapeHtml(escaped);
    if (address.length <= addressCharsMax) found.add(address);
    if (found.size === addressesMax) break;
  }
  return [...found];
}
