/**
 * The Content-IDs that HTML names by `cid:` (RFC 2392), as written and percent-decoded: parts with one of them are shown
 * where it stands, whatever their disposition says. Linear.
 */
export function namedContentIds(html: string): Set<string> {
  const named = new Set<string>();
  for (const match of html.matchAll(/\bcid:([^"'\s<>)\\]{1,998})/gi)) {
    const written = (match[1] ?? '').replace(/&amp;/gi, '&');
    named.add(written);
    named.add(percentDecoded(written));
  }
  return named;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
