/** A guard before HTML parsers, whose stacks make deep nesting quadratic or overflow. */

/** Far above what mail programs write, far below what takes time: 200,000 levels kept a parser busy for 8 s. */
export const HTML_DEPTH_MAX = 5_000;
/** 1,000,000 tags kept the sanitiser busy for 0.6 to 1.7 s. A letter of 1 MB, mostly markup, has 30,000. */
const TAGS_MAX = 100_000;
/** End tags times the elements that each may be compared with; 100,000,000 comparisons take 0.15 s. */
export const TAG_STEPS_MAX = 100_000_000;

/**
 * Gives HTML back as it is, unless its tags are more than TAGS_MAX or may nest so deep that a parser takes its time: then
 * without any tag. Counted without parsing, so elements that a browser would close by itself count as open. Linear.
 */
export function withBoundedDepth(html: string): string {
  if (hasTooManyTags(html)) return textOnly(html);
  let depth = 0;
  let starts = 0;
  let ends = 0;
  for (const [, slash, name = ''] of html.matchAll(TAG)) {
    if (VOID_ELEMENTS.has(name.toLowerCase())) continue;
    if (slash === '') starts++;
    else ends++;
    depth = slash === '' ? depth + 1 : Math.max(0, depth - 1);
    // End tags that close nothing, or stand in an attribute, hide how deep it is: all that was opened may still be open.
    if (depth > HTML_DEPTH_MAX || starts * ends > STEPS_UNPARSED_MAX) return textOnly(html);
  }
  return html;
}

/** Counts every `<`, so that a flood of those that open nothing is one too. */
export function hasTooManyTags(html: string): boolean {
  let tags = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) if (++tags > TAGS_MAX) return true;
  return false;
}

/** The text without any tag or angle bracket, so that no parser finds one; entities stay. */
export function textOnly(html: string): string {
  return withoutTags(html).replace(/[<>]+/g, ' ');
}

/** Cuts every tag out, for text that no parser gets to see; entities stay. */
export function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, ' ').replace(/[ \t]+/g, ' ');
}

const STEPS_UNPARSED_MAX = 2 * TAG_STEPS_MAX;
const TAG = /<(\/?)([a-z][a-z0-9]*)/gi;
const VOID_ELEMENTS: ReadonlySet<string> = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr'],
]);
