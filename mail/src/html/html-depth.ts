/** Guards HTML parsers against deep nesting, which overflows their stacks or takes quadratic time. */

/** Far deeper than mail programs nest, and still fast to parse: 200,000 levels kept a parser busy for 8 s. */
export const HTML_DEPTH_MAX = 5_000;
/** 1,000,000 tags kept the sanitiser busy for 0.6 to 1.7 s. A mail of 1 MB that is mostly markup has 30,000. */
const TAGS_MAX = 100_000;
/** The limit of end tags times open elements: a parser may compare each pair. 100,000,000 comparisons take 0.15 s. */
export const TAG_STEPS_MAX = 100_000_000;

/**
 * Returns HTML unchanged if a parser can take it quickly. Keeps only the text, in lines, if the HTML has more than
 * TAGS_MAX tags or may nest too deep. The count does not parse: it treats elements that a browser would close by itself
 * as open. Linear.
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
    // `depth` may be too low: end tags that close nothing, or stand in an attribute, lower it too. So the product
    // assumes that every opened element is still open.
    if (depth > HTML_DEPTH_MAX || starts * ends > STEPS_UNPARSED_MAX) return textOnly(html);
  }
  return html;
}

/** Counts every `<`, so that a flood of `<` that open no tag counts as well. */
export function hasTooManyTags(html: string): boolean {
  let tags = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) if (++tags > TAGS_MAX) return true;
  return false;
}

/** The text without angle brackets, but for the breaks between its first lines. Entities stay. */
export function textOnly(html: string): string {
  const lines = html
    .split(LINE_END)
    .map((line) => withoutTags(line).replace(/[<>]+/g, ' ').trim())
    .filter((line) => line !== '');
  const rest = lines.splice(LINES_MAX).join(' ');
  return [...lines, ...(rest === '' ? [] : [rest])].join('<br />\n');
}

/** Fewer than TAGS_MAX, so that the text passes as it is the next time. */
const LINES_MAX = 50_000;
const LINE_END = /<(?:br|\/(?:p|div|tr|li|table|caption|h[1-6]|pre|blockquote))\b[^<>]*>/i;

/** Removes every tag. Only for text that no parser reads afterwards. Entities stay. */
export function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, ' ').replace(/[ \t]+/g, ' ');
}

const STEPS_UNPARSED_MAX = 2 * TAG_STEPS_MAX;
const TAG = /<(\/?)([a-z][a-z0-9]*)/gi;
const VOID_ELEMENTS: ReadonlySet<string> = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr'],
]);
