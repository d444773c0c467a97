/** A guard before HTML parsers, whose stacks make deep nesting quadratic or overflow. */

/** Far above what mail programs write, far below what takes time: 200,000 levels kept a parser busy for 8 s. */
const HTML_DEPTH_MAX = 5_000;

/**
 * Gives HTML back as it is, unless its tags may nest deeper than HTML_DEPTH_MAX: then without any tag.
 * Counted without parsing, so elements that a browser would close by itself count as open. Linear.
 */
export function withBoundedDepth(html: string): string {
  let depth = 0;
  for (const [, slash, name = ''] of html.matchAll(TAG)) {
    if (VOID_ELEMENTS.has(name.toLowerCase())) continue;
    depth = slash === '' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > HTML_DEPTH_MAX) return withoutTags(html);
  }
  return html;
}

/** Cuts every tag out, for text that no parser gets to see; entities stay. */
export function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, ' ').replace(/[ \t]+/g, ' ');
}

const TAG = /<(\/?)([a-z][a-z0-9]*)/gi;
const VOID_ELEMENTS: ReadonlySet<string> = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr'],
]);
