/** Puts HTML together from pieces that are safe already. A second pass of the parser would hold the event loop. */
import { hasTooManyTags, textOnly } from '@kontor/mail/html/html-depth.ts';
import { escapeText } from '@kontor/mail/html/html-text.ts';
import { balanced } from './html-ranges.ts';

/** The most characters of HTML that is stored. */
export const HTML_CHARS_MAX = 1_000_000;
/** Room for the end tags of the elements that a cut leaves open. */
export const CUT_CHARS_SPARE = 2_000;
/** Deeper tags are dropped, but their text stays. */
export const HTML_NESTING_MAX = 100;

/** HTML that `sanitizeHtml` or `joinSafe` returned, so that nothing parses it again. No request can have one. */
export class SafeHtml {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

/**
 * Holds joined HTML to the bounds of `sanitizeHtml`: length, number of tags, depth and floats. Gives what a second pass
 * would give, without parsing.
 * @param pieces as `sanitizeHtml` returns them, inside balanced tags in the same form
 */
export function joinSafe(pieces: string): string {
  const storable = pieces.toWellFormed().replaceAll('\0', '');
  const isLong = storable.length > HTML_CHARS_MAX;
  const html = isLong ? cutBetween(storable, HTML_CHARS_MAX - CUT_CHARS_SPARE) : storable;
  return withFloatsEnded(hasTooManyTags(html) ? textOnly(html) : balanced(html, HTML_NESTING_MAX));
}

/** Plain text as HTML, in the form in which `sanitizeHtml` returns it. */
export function safeHtmlOf(text: string): string {
  return joinSafe(safePieceOf(text));
}

/** Part of what `joinSafe` takes. */
export function safePieceOf(text: string): string {
  return `<div>${escapeText(text.slice(0, HTML_CHARS_MAX)).replaceAll('\n', '<br />\n')}</div>`;
}

const FLOATS_END = '<div style="clear:both"></div>';

/** Without this, floats would overlap the page's content after the mail. */
export function withFloatsEnded(html: string): string {
  const mayFloat = html.includes('float:') || /<(?:table|img) [^<>]*align="/.test(html);
  return mayFloat && !html.endsWith(FLOATS_END) ? `${html}${FLOATS_END}` : html;
}

/** Sanitised HTML contains `<`, `>` and `&` only in tags and entities, so the last of each shows where to cut. */
export function cutBetween(html: string, charsMax: number): string {
  const cut = html.slice(0, charsMax);
  const tagAt = cut.lastIndexOf('<');
  const entityAt = cut.lastIndexOf('&');
  if (cut.indexOf('>', tagAt) < 0) return cut.slice(0, tagAt);
  return entityAt > tagAt && cut.indexOf(';', entityAt) < 0 ? cut.slice(0, entityAt) : cut.toWellFormed();
}
