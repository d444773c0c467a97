/**
 * The Content-IDs in the `cid:` addresses of HTML (RFC 2392), both as written and percent-decoded.
 * The reader shows a part with such a Content-ID inline, even if its disposition says attachment. Runs in linear time.
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
