/** Converts HTML to plain text, and plain text to HTML. */
import { convert, type HtmlToTextOptions } from 'html-to-text';
import { withBoundedDepth, withoutTags } from './html-depth.ts';

/** The limit keeps one mail from blocking the event loop. */
const HTML_CONVERT_CHARS_MAX = 1_000_000;

/** Text beyond this length is cut off. */
const TEXT_CHARS_MAX = 2_000_000;

/**
 * Converts HTML to readable text. Writes links as `text [url]`, flattens lists and tables, and leaves images out.
 * Converts only the first HTML_CONVERT_CHARS_MAX characters, and follows nesting 200 levels deep.
 * Never throws: if the converter fails, the tags are simply removed.
 */
export function htmlToText(html: string): string {
  const bounded = html.slice(0, HTML_CONVERT_CHARS_MAX).toWellFormed();
  try {
    return convert(withBoundedDepth(bounded), OPTIONS)
      .replace(/\u00a0/g, ' ')
      .trim();
  } catch {
    return withoutTags(bounded).trim();
  }
}

/** Plain text as HTML, for a plain part of a mail whose other parts are HTML. */
export function textToHtml(text: string): string {
  return `<div>${escapeHtml(text.slice(0, TEXT_CHARS_MAX)).replace(/\n/g, '<br>\n')}</div>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/** Undoes `escapeHtml`. */
export function unescapeHtml(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  // Convert the whole document: some programs add text after </body>.
  baseElements: { selectors: [] },
  limits: { maxDepth: 200, maxInputLength: HTML_CONVERT_CHARS_MAX, ellipsis: '…' },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'block' },
    { selector: 'style', format: 'skip' },
    { selector: 'script', format: 'skip' },
    { selector: 'title', format: 'skip' },
  ],
};
