/** HTML as plain text, and plain text as HTML. */
import { convert, type HtmlToTextOptions } from 'html-to-text';
import { withBoundedDepth, withoutTags } from './html-depth.ts';

/** HTML past this is not converted: it keeps one mail from holding up the event loop. */
const HTML_CONVERT_CHARS_MAX = 1_000_000;

/** So much of text becomes HTML. */
const TEXT_CHARS_MAX = 2_000_000;

/**
 * Converts HTML to readable text: links as `text [url]`, lists and tables flattened, images left out.
 * Only the first HTML_CONVERT_CHARS_MAX characters are converted, nesting is
 * followed 200 deep.
 * Never throws: markup that the converter cannot take has its tags cut out.
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

/** Plain text as HTML, for a body of which one part has no HTML. */
export function textToHtml(text: string): string {
  return `<div>${escapeHtml(text.slice(0, TEXT_CHARS_MAX)).replace(/\n/g, '<br>\n')}</div>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  // Everything: programs add text behind </body>.
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
