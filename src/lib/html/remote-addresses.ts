/** More of one message are not listed. */
const addressesMax = 200;
const addressCharsMax = 8_000;

/**
 * Where the pictures of sanitised HTML lie that are on other servers, each once, in order.
 * @param html as `sanitizeHtml` returns it: their addresses are in `data-src`
 */
export function remoteAddressesIn(html: string): string[] {
  const found = new Set<string>();
  for (const [, escaped = ''] of html.matchAll(/<img [^>]*?\bdata-src="([^"]*)"/g)) {
    const address = unescaped(escaped);
    if (address.length <= addressCharsMax) found.add(address);
    if (found.size === addressesMax) break;
  }
  return [...found];
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
