/** Makes strangers' HTML safe to show inside our own page. */

import { HTML_DEPTH_MAX, hasTooManyTags, TAG_STEPS_MAX, textOnly } from '@kontor/mail/html/html-depth.ts';
import sanitize from 'sanitize-html';
import { readyHtml } from './ready-html.ts';
import { CUT_CHARS_SPARE, cutBetween, HTML_CHARS_MAX, HTML_NESTING_MAX, withFloatsEnded } from './safe-html.ts';
import { safeStyle } from './safe-style.ts';

/**
 * Reduces e-mail HTML to elements that run nothing, load nothing and stay in place. It allows no positions, no box
 * smaller than its content, no oversized text and no float beyond the end. Long words and wide tables may still
 * overflow sideways: the client must clip them, see docs/api.md.
 *
 * Kept: text formatting, tables, lists, links (http, https, mailto, tel), safe style properties without `url()` (see
 * safe-style.ts), and the class names with which mail programs mark quotes. Links open in a new tab without a referrer.
 * Images: `cid:` and `data:` images (PNG, JPEG, GIF, WebP) keep their `src`. A remote image keeps its address in
 * `data-src`, so that nothing loads until the reader asks. Any other image loses its `src`.
 * Dropped with their content: script, style, title, svg, math, iframe and similar elements.
 * Also dropped: ids, names, event handlers, comments, meta, base and link. Forms lose only their tags.
 * `contentIds` are the Content-IDs of pictures that the HTML names by another address: such an address becomes `cid:`.
 * `keepsMentions` is for HTML by our own members: it keeps `<span class="mention" data-user="<userId>">`.
 *
 * Input longer than HTML_CHARS_MAX is cut before parsing, and a longer result is cut as well. Tags deeper than
 * HTML_NESTING_MAX are dropped. HTML that would keep the parser busy (see html-depth.ts) loses its tags and keeps its
 * text, in lines. Never throws.
 * The result is a fragment of at most HTML_CHARS_MAX characters with closed tags and without U+0000.
 * A second pass changes nothing, except nesting that HTML forbids, such as a heading among list items.
 */
export function sanitizeHtml(
  html: string,
  { keepsMentions = false, contentIds = NO_CONTENT_IDS }: SanitizeOptions = {},
): string {
  // Only a mail's own reader names identifiers, and it runs in a thread already.
  const ready = contentIds === NO_CONTENT_IDS ? readyHtml.getStore() : undefined;
  const known = ready?.[keepsMentions ? 'cleanWithMentions' : 'clean'].get(html);
  if (known !== undefined) return known;
  const options = keepsMentions ? MEMBER_OPTIONS : optionsFor(contentIds);
  const storable = html.slice(0, HTML_CHARS_MAX).toWellFormed().replaceAll('\0', '');
  const clean = withFloatsEnded(bounded(storable, options));
  // Escaping turns one character into up to six, so the result may be too long: cut it between tags and entities, and
  // sanitise it again to close its tags.
  return clean.length <= HTML_CHARS_MAX
    ? clean
    : withFloatsEnded(bounded(cutBetween(clean, HTML_CHARS_MAX - CUT_CHARS_SPARE), options));
}

type SanitizeOptions = { keepsMentions?: boolean; contentIds?: ReadonlyMap<string, string> };
const NO_CONTENT_IDS: ReadonlyMap<string, string> = new Map();

class TooManySteps extends Error {}

/**
 * Bounds end tags times open elements: the parser compares an end tag that closes nothing with every open element.
 * Counts depth while parsing. Only the parser knows which elements close implicitly and which `<` stand in attributes.
 */
function bounded(html: string, options: sanitize.IOptions): string {
  if (hasTooManyTags(html)) return sanitize(textOnly(html), options);
  const depthMax = Math.min(HTML_DEPTH_MAX, TAG_STEPS_MAX / html.split('</').length);
  let depth = 0;
  const onOpenTag = (): void => {
    if (++depth > depthMax) throw new TooManySteps();
  };
  const onCloseTag = (): void => {
    depth--;
  };
  try {
    return sanitize(html, { ...options, onOpenTag, onCloseTag });
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return sanitize(textOnly(html), options);
  }
}

const TAGS = [
  ...['a', 'abbr', 'address', 'article', 'aside', 'b', 'bdi', 'bdo', 'big', 'blockquote', 'br', 'caption', 'center'],
  ...[
    'cite',
    'code',
    'col',
    'colgroup',
    'dd',
    'del',
    'details',
    'dfn',
    'div',
    'dl',
    'dt',
    'em',
    'figcaption',
    'figure',
  ],
  ...['font', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'i', 'img', 'ins', 'kbd', 'li', 'main'],
  ...['mark', 'nav', 'ol', 'p', 'pre', 'q', 's', 'samp', 'section', 'small', 'span', 'strike', 'strong', 'sub'],
  ...['summary', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'time', 'tr', 'tt', 'u', 'ul', 'var', 'wbr'],
];

/**
 * Elements dropped with their content: it is not readable text, or browsers parse it by other rules than our parser.
 */
const TAGS_WITHOUT_TEXT = [
  ...['script', 'style', 'title', 'textarea', 'option', 'select', 'noscript', 'noembed', 'noframes', 'template', 'xmp'],
  ...['iframe', 'object', 'embed', 'applet', 'svg', 'math', 'frameset', 'audio', 'video', 'canvas', 'plaintext'],
];

const CELL = ['align', 'valign', 'bgcolor', 'width', 'height'];

const ATTRIBUTES: Record<string, string[]> = {
  '*': ['style', 'dir', 'lang', 'title', 'align'],
  a: ['href', 'rel', 'target'],
  img: ['src', 'data-src', 'alt', 'width', 'height', 'border'],
  blockquote: ['type'],
  font: ['color', 'face', 'size'],
  hr: ['width', 'size', 'color'],
  ol: ['type', 'start', 'reversed'],
  ul: ['type'],
  li: ['type', 'value'],
  table: [...CELL, 'border', 'cellpadding', 'cellspacing'],
  td: [...CELL, 'colspan', 'rowspan', 'nowrap'],
  th: [...CELL, 'colspan', 'rowspan', 'nowrap', 'scope'],
  tr: CELL,
  tbody: CELL,
  thead: CELL,
  tfoot: CELL,
  col: ['span', 'width'],
  colgroup: ['span', 'width'],
  time: ['datetime'],
};

/** Any other class is dropped, because it could match a class of our own page. */
const QUOTE_CLASSES = [
  ...['gmail_quote', 'gmail_quote_container', 'gmail_attr', 'gmail_signature', 'moz-cite-prefix', 'moz-signature'],
  ...['AppleMailSignature', 'Apple-interchange-newline', 'yahoo_quoted', 'protonmail_quote', 'zmail_extra'],
  ...['ms-outlook-mobile-reference-message'],
];

/** Marks a span that mentions the member whose id is in `data-user`. */
const MENTION_CLASS = 'mention';

const OPTIONS: sanitize.IOptions = {
  allowedTags: TAGS,
  allowedAttributes: ATTRIBUTES,
  allowedClasses: { '*': QUOTE_CLASSES },
  nonTextTags: TAGS_WITHOUT_TEXT,
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['cid', 'data'] },
  allowProtocolRelative: false,
  // `safeStyle` filters styles instead: a full CSS parser for each attribute costs more than all other work together.
  parseStyleAttributes: false,
  nestingLimit: HTML_NESTING_MAX,
  disallowedTagsMode: 'discard',
  transformTags: {
    '*': (tagName, attributes) => ({ tagName, attribs: safeAttributes(tagName, attributes) }),
    // Nested `big` elements would grow without limit.
    big: (_tagName, attributes) => ({ tagName: 'font', attribs: safeAttributes('font', { ...attributes, size: '4' }) }),
  },
};

function optionsFor(contentIds: ReadonlyMap<string, string>): sanitize.IOptions {
  if (contentIds.size === 0) return OPTIONS;
  const img: sanitize.Transformer = (tagName, attributes) => {
    const contentId = contentIds.get(squeezed(attributes.src ?? ''));
    return { tagName, attribs: contentId === undefined ? attributes : { ...attributes, src: `cid:${contentId}` } };
  };
  return { ...OPTIONS, transformTags: { ...OPTIONS.transformTags, img } };
}

/** For HTML that members write. A stranger's mail must not look as if it mentioned a colleague. */
const MEMBER_OPTIONS: sanitize.IOptions = {
  ...OPTIONS,
  allowedAttributes: { ...ATTRIBUTES, span: ['data-user'] },
  allowedClasses: { '*': QUOTE_CLASSES, span: [MENTION_CLASS] },
  transformTags: {
    ...OPTIONS.transformTags,
    span: (tagName, attributes) => ({ tagName, attribs: mentionAttributes(attributes) }),
  },
};

const USER_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Keeps the class and `data-user` only together, because the class alone would look like a mention.
 * The transform for all tags (`*`) runs afterwards.
 */
function mentionAttributes({ class: classes = '', 'data-user': user = '', ...rest }: sanitize.Attributes) {
  const names = classes.split(/\s+/);
  const isMention = names.includes(MENTION_CLASS) && USER_ID.test(user);
  const kept = isMention ? MENTION_CLASS : names.filter((name) => name !== MENTION_CLASS).join(' ');
  return {
    ...rest,
    ...(kept === '' ? {} : { class: kept }),
    ...(isMention ? { 'data-user': user.toLowerCase() } : {}),
  };
}

function safeAttributes(tagName: string, attributes: sanitize.Attributes): sanitize.Attributes {
  const { style = '', href = '', src = '', 'data-src': dataSrc = '', rel: _rel, target: _target, ...rest } = attributes;
  const isLarge = tagName === 'font' && /^\s*(?:\+|[5-9]|\d\d)/.test(rest.size ?? '');
  const kept = safeStyle(tagName, style, isLarge);
  return {
    ...rest,
    ...(kept === '' ? {} : { style: kept }),
    ...(tagName === 'a' ? linkAttributes(squeezed(href)) : {}),
    ...(tagName === 'img' ? imageAttributes(squeezed(src === '' ? dataSrc : src)) : {}),
    ...boundedSpans(rest),
  };
}

/** A browser makes a column or row for each spanned one, in every table: thousands of wide cells stop its page. */
const SPAN_MAX = 100;

function boundedSpans(attributes: sanitize.Attributes): sanitize.Attributes {
  const wide = SPANS.filter((name) => Number.parseInt(attributes[name] ?? '', 10) > SPAN_MAX);
  return Object.fromEntries(wide.map((name) => [name, String(SPAN_MAX)]));
}

const SPANS = ['colspan', 'rowspan', 'span'] as const;

function linkAttributes(url: string): sanitize.Attributes {
  // A relative link would lead to a page of our own site.
  if (!/^(?:https?:\/\/|mailto:|tel:)/i.test(url)) return {};
  return { href: url, rel: 'noopener noreferrer nofollow', target: '_blank' };
}

const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp);base64,[a-z0-9+/=%\s]*$/i;

function imageAttributes(url: string): sanitize.Attributes {
  if (/^cid:/i.test(url)) return { src: `cid:${url.slice('cid:'.length)}` };
  if (DATA_IMAGE.test(url)) return { src: url };
  const remote = url.startsWith('//') ? `https:${url}` : url;
  return /^https?:\/\//i.test(remote) ? { 'data-src': remote } : {};
}

/** Browsers ignore control characters and spaces around a URL, and line ends and tabs within it. */
function squeezed(url: string): string {
  return url.replace(/[\x00-\x1f\x7f]/g, '').trim();
}
