/** Converts HTML to plain text, and plain text to HTML. */
import { convert, type DomNode, type FormatCallback, type HtmlToTextOptions } from 'html-to-text';
import { withBoundedDepth, withoutTags } from './html-depth.ts';

/** The limit keeps one mail from blocking the event loop. */
const HTML_CONVERT_CHARS_MAX = 1_000_000;

/** Text beyond this length is cut off. */
const TEXT_CHARS_MAX = 2_000_000;

/**
 * Converts HTML to readable text. Writes links as `text [url]`, flattens lists and tables, and leaves images out.
 * Words that a browser shows apart stay apart: the cells of a table, blocks, and the words beside a picture.
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
  return escapeText(text).replace(/"/g, '&quot;');
}

/** Escapes text between tags as `sanitizeHtml` writes it: quotes stay. */
export function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Undoes `escapeHtml`. */
export function unescapeHtml(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** How a browser places an element: as lines of its own, with gaps on its line, or within the words around it. */
type Layout = 'lines' | 'gaps' | 'words';

/** Takes the place from the element's style, else from the `place` of its tag. */
const placed: FormatCallback = (element, walk, builder, options) => {
  const place = placeOf(element.attribs?.style ?? '') ?? options.place ?? 'words';
  if (place === 'lines') builder.openBlock({ leadingLineBreaks: 1 });
  if (place === 'gaps') builder.addInline(' ');
  walk(element.children, builder);
  if (place === 'gaps') builder.addInline(' ');
  if (place === 'lines') builder.closeBlock({ trailingLineBreaks: 1 });
};

/** Writes the address after the text of the link, unless both are the same. */
const link: FormatCallback = (element, walk, builder, options) => {
  const address = String(element.attribs?.href ?? '').replace(/^mailto:/i, '');
  const isShown = address !== '' && !NO_PLACE.test(address) && !hasText(element, address);
  const withAddress: typeof walk = (children, inside) => {
    walk(children, inside);
    if (isShown) inside.addInline(` [${address}]`, { noWordTransform: true });
  };
  placed(element, withAddress, builder, options);
};

/** Marks quotes and indents lists, but not at each level of a hostile mail: each level writes every line anew. */
const nested: FormatCallback = (element, walk, builder, options) => {
  const format = isNestedTooDeep(element) ? 'placed' : options.format;
  builder.options.formatters?.[format]?.(element, walk, builder, options);
};

const MARKED_LEVELS_MAX = 10;

function isNestedTooDeep(element: DomNode): boolean {
  let level = 0;
  for (let node: DomNode | null | undefined = element; node; node = node.parent)
    if (NESTED.has(node.name ?? '') && ++level > MARKED_LEVELS_MAX) return true;
  return false;
}

/** Whether the text of an element is `wanted`, apart from white space. Reads no more of it than that takes. */
function hasText(element: DomNode, wanted: string): boolean {
  let at = 0;
  const follows = (node: DomNode): boolean => {
    if (node.type !== 'text') return (node.children ?? []).every(follows);
    const text = (node.data ?? '').slice(0, wanted.length * 2 + LINK_BLANKS_MAX).replace(/\s/g, '');
    const isNext = wanted.startsWith(text, at);
    at += text.length;
    return isNext;
  };
  return follows(element) && at === wanted.length;
}

const LINK_BLANKS_MAX = 200;
/** Addresses that lead nowhere outside of the mail. */
const NO_PLACE = /^(?:#|cid:|data:|javascript:)/i;

const STYLE_CHARS_MAX = 5_000;
const PLACES: Readonly<Record<string, Layout>> = {
  block: 'lines',
  flex: 'lines',
  grid: 'lines',
  table: 'lines',
  none: 'lines',
  'flow-root': 'lines',
  'list-item': 'lines',
  'table-row': 'lines',
  'table-caption': 'lines',
  'inline-block': 'gaps',
  'inline-flex': 'gaps',
  'inline-grid': 'gaps',
  'inline-table': 'gaps',
  'table-cell': 'gaps',
  inline: 'words',
};

function placeOf(style: string): Layout | undefined {
  if (style.length > STYLE_CHARS_MAX) return undefined;
  let place: Layout | undefined;
  for (const declaration of style.toLowerCase().split(';')) {
    const [property = '', value = ''] = declaration.split(':').map((side) => side.trim());
    if (property === 'float' && /^(?:left|right)/.test(value)) return 'gaps';
    if (property === 'display') place = PLACES[value.split(/[\s!]/)[0] ?? ''] ?? place;
  }
  return place;
}

const IN_LINES = [
  ...['address', 'article', 'aside', 'body', 'caption', 'center', 'dd', 'details', 'dialog', 'dir', 'div', 'dl', 'dt'],
  ...['fieldset', 'figcaption', 'figure', 'footer', 'form', 'header', 'hgroup', 'legend', 'li', 'main', 'menu', 'nav'],
  ...['noscript', 'optgroup', 'option', 'search', 'section', 'select', 'summary', 'table', 'tr'],
];
const WITH_GAPS = [
  ...['audio', 'button', 'canvas', 'iframe', 'img', 'input', 'object', 'svg', 'td', 'textarea', 'th', 'video'],
];

const NESTED: ReadonlyMap<string, string> = new Map([
  ['blockquote', 'blockquote'],
  ['ol', 'orderedList'],
  ['ul', 'unorderedList'],
]);

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  // Convert the whole document: some programs add text after </body>.
  baseElements: { selectors: [] },
  limits: { maxDepth: 200, maxInputLength: HTML_CONVERT_CHARS_MAX, ellipsis: '…' },
  formatters: { placed, link, nested },
  selectors: [
    { selector: '*', format: 'placed' },
    { selector: 'a', format: 'link' },
    ...IN_LINES.map((selector) => ({ selector, format: 'placed', options: { place: 'lines' } })),
    ...WITH_GAPS.map((selector) => ({ selector, format: 'placed', options: { place: 'gaps' } })),
    ...[...NESTED].map(([selector, format]) => ({ selector, format: 'nested', options: { format, place: 'lines' } })),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    // Without a sign, struck words would read as valid.
    ...['s', 'strike', 'del'].map((selector) => ({
      selector,
      format: 'inlineSurround',
      options: { prefix: '~~', suffix: '~~' },
    })),
    { selector: 'style', format: 'skip' },
    { selector: 'script', format: 'skip' },
    { selector: 'title', format: 'skip' },
  ],
};
