/** Plain text of a mail's body: flowed lines joined (RFC 3676), HTML converted. */
import { convert, type HtmlToTextOptions } from 'html-to-text';
import { withBoundedDepth, withoutTags } from '../lib/html-depth.ts';

/** HTML past this is not converted: it keeps one mail from holding up the event loop. */
const HTML_CONVERT_CHARS_MAX = 1_000_000;

/** Longer flowed text stays broken as it came, and so much of text becomes HTML: neither is shown beyond. */
const TEXT_CHARS_MAX = 2_000_000;

/**
 * Joins the soft-broken lines of `format=flowed` text, quotes kept by their depth.
 * @param text LF line ends
 * @param deletesSpace the `delsp=yes` parameter: the blank before a soft break is not part of the text
 */
export function unflow(text: string, deletesSpace: boolean): string {
  if (text.length > TEXT_CHARS_MAX) return text;
  const lines: string[] = [];
  let open: { depth: number; text: string } | null = null;
  for (const line of text.split('\n')) {
    const depth = quoteDepth(line);
    let content = line.slice(depth);
    if (content.startsWith(' ')) content = content.slice(1);
    // RFC 3676 §4.3: the signature's mark ends with a blank and is never soft.
    const isSoft = content.endsWith(' ') && content !== '-- ';
    if (open !== null && (open.depth !== depth || content === '-- ')) {
      lines.push(quoted(open.depth, open.text));
      open = null;
    }
    const kept: string = isSoft && deletesSpace ? content.slice(0, -1) : content;
    const joined: string = open === null ? kept : open.text + kept;
    if (isSoft) {
      open = { depth, text: joined };
    } else {
      lines.push(quoted(depth, joined));
      open = null;
    }
  }
  if (open !== null) lines.push(quoted(open.depth, open.text));
  return lines.join('\n');
}

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
  const escaped = text
    .slice(0, TEXT_CHARS_MAX)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
  return `<div>${escaped.replace(/\n/g, '<br>\n')}</div>`;
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

function quoteDepth(line: string): number {
  let depth = 0;
  while (line[depth] === '>') depth++;
  return depth;
}

function quoted(depth: number, text: string): string {
  return depth === 0 ? text : `${'>'.repeat(depth)} ${text}`;
}
