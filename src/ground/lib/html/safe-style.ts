/**
 * The style declarations that a mail keeps. The bounds make every box at least as large as its content, so that text
 * never paints over its neighbours. Only floats leave the flow, and `sanitizeHtml` clears them.
 */

const STYLE_CHARS_MAX = 5_000;
/** The longest lists of fonts have some 200 characters. */
const VALUE_CHARS_MAX = 500;
const STYLE_PROPERTY = new RegExp(
  `^(?:${[
    'color',
    'background(?:-color)?',
    'font(?:-(?:family|size|style|weight|variant))?',
    'text-(?:align|decoration|indent|transform)',
    'line-height',
    'letter-spacing',
    'word-spacing',
    'vertical-align',
    'white-space',
    'word-(?:break|wrap)',
    'overflow-wrap',
    '(?:min-|max-)?(?:width|height)',
    'margin(?:-(?:top|right|bottom|left))?',
    'padding(?:-(?:top|right|bottom|left))?',
    'border(?:-(?:top|right|bottom|left))?(?:-(?:color|style|width))?',
    'border-(?:collapse|spacing|radius)',
    'table-layout',
    'display',
    'list-style-type',
    'float',
    'clear',
    'direction',
    'unicode-bidi',
    'quotes',
  ].join('|')})$`,
);
/** Excludes backslashes, colons, angle brackets and comments, so that a value can neither escape nor hide anything. */
const STYLE_VALUE = /^[a-z0-9 .,%#'"()+\-!_]+$/i;

/** Properties that hold sizes. */
const SIZED_PROPERTY = new RegExp(
  '^(?:min-|max-)?(?:width|height)$|' +
    '^(?:margin|padding|border|text-indent|letter-spacing|word-spacing|vertical-align)',
);

const TABLE_TAGS: ReadonlySet<string> = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th']);

/** Reads each digit in one way only, so that no value makes an expression slow. */
const NUMBER = String.raw`\d+(?:\.\d+)?|\.\d+`;
const SIZES = new RegExp(`(-? ?(?:${NUMBER}))([a-z]+|%)?`, 'gi');
const RELATIVE_SIZE = new RegExp(`^(${NUMBER})(em|%)(?: ?!important)?$`, 'i');
const LINE_HEIGHT = new RegExp(`^(${NUMBER})(?:px|pt|em|rem|%)?(?: ?!important)?$`, 'i');
const LINE_HEIGHT_START = new RegExp(`^(${NUMBER})([a-z%]*)`, 'i');
const ABSOLUTE_FONT = new RegExp(String.raw`(?<![\d.])(${NUMBER})(px|pt|rem)\b`, 'i');
const RELATIVE_FONT = new RegExp(String.raw`(?<![\d.])(${NUMBER})(em|%)`, 'i');
const UNITS_MAX: Record<string, number> = {
  px: 2_000,
  pt: 1_500,
  in: 21,
  cm: 53,
  mm: 530,
  pc: 125,
  em: 100,
  rem: 100,
  ex: 200,
  ch: 200,
  '%': 100,
  '': 2_000,
};
const FONT_UNITS_MAX: Record<string, number> = { px: 96, pt: 72, em: 1, rem: 6, ex: 2, '%': 100, '': 0 };
const PX_PER_UNIT: Record<string, number> = { px: 1, pt: 4 / 3, rem: 16 };
/** Larger text needs a line height of its own, because the inherited line height may be too small. */
const USUAL_FONT_PX = 24;
const LINE_PX_MIN = 12;
const BROWSER_FONT_PX = 16;

type Declaration = { property: string; value: string };

/**
 * @param isLarge whether the element is larger than the surrounding text even without a style
 * @returns the kept declarations, joined by semicolons; may be empty
 */
export function safeStyle(tagName: string, style: string, isLarge = false): string {
  const isReadable = style.length <= STYLE_CHARS_MAX && !/\\|\/\*/.test(style);
  const kept = (isReadable ? style.split(';') : []).flatMap((text) => readDeclaration(tagName, text));
  return withOwnLineHeight(kept, isLarge)
    .map(({ property, value }) => `${property}:${value}`)
    .join(';');
}

function readDeclaration(tagName: string, text: string): Declaration[] {
  const colon = text.indexOf(':');
  const property = text.slice(0, Math.max(colon, 0)).trim().toLowerCase();
  const value = text
    .slice(colon + 1)
    .replace(/\s+/g, ' ')
    .trim();
  if (value.length > VALUE_CHARS_MAX) return [];
  const bounded = property === 'font-size' ? absoluteSize(value) : value;
  return isSafe(tagName, property, bounded) ? [{ property: boxProperty(tagName, property), value: bounded }] : [];
}

/**
 * Turns a relative size above 100 % into pixels of the browser's default size. Nested relative sizes would multiply.
 */
function absoluteSize(value: string): string {
  const [, number = '', unit = ''] = RELATIVE_SIZE.exec(value) ?? [];
  const share = Number(number) / (unit === '%' ? 100 : 1);
  return share > 1 ? `${Math.round(share * BROWSER_FONT_PX)}px` : value;
}

/**
 * `height` becomes `min-height`, because a box lower than its content would overflow. Tables always fit their content.
 */
function boxProperty(tagName: string, property: string): string {
  return property === 'height' && tagName !== 'img' && !TABLE_TAGS.has(tagName) ? 'min-height' : property;
}

function isSafe(tagName: string, property: string, value: string): boolean {
  if (!STYLE_PROPERTY.test(property) || !STYLE_VALUE.test(value)) return false;
  // Colours are the only functions allowed.
  if (value.replace(/\b(?:rgb|hsl)a?\(/gi, '').includes('(')) return false;
  if (property === 'max-height') return tagName === 'img' && isWithin(value, UNITS_MAX);
  if (property === 'display') return isSafeDisplay(tagName, value);
  if (property === 'font' || property === 'font-size') return isSafeFont(value);
  if (property === 'line-height') return isSafeLineHeight(value);
  return !SIZED_PROPERTY.test(property) || isWithin(withoutColours(value), UNITS_MAX);
}

function withoutColours(value: string): string {
  return value.replace(/#[0-9a-f]+|(?:rgb|hsl)a?\([^()]*\)/gi, '');
}

/** Refuses negative numbers, unlisted units such as the viewport's, and sizes above the bounds. */
function isWithin(value: string, unitsMax: Record<string, number>): boolean {
  return [...value.matchAll(SIZES)].every(([, number = '', unit = '']) => {
    const most = unitsMax[unit.toLowerCase()];
    const size = Number(number.replace(' ', ''));
    return size === 0 || (most !== undefined && size > 0 && size <= most);
  });
}

const DISPLAYS = /^(?:block|inline|inline-block|none|list-item|table|inline-table|table-[a-z-]+)(?:\s*!important)?$/i;

/** Parts of a table keep their kind of box: a cell turned into a block would obey its height and overflow. */
function isSafeDisplay(tagName: string, value: string): boolean {
  return DISPLAYS.test(value) && (!TABLE_TAGS.has(tagName) || /^(?:none|table|inline-table)/i.test(value));
}

function isSafeFont(value: string): boolean {
  const withoutWeight = value.replace(/\b[1-9]00\b/g, '');
  return isWithin(withoutWeight, FONT_UNITS_MAX) && !/\blarger\b/i.test(value);
}

function isSafeLineHeight(value: string): boolean {
  const number = LINE_HEIGHT.exec(value)?.[1];
  if (number === undefined) return /^normal$/i.test(value);
  return Number(number) > 0 && isWithin(value, { px: 200, pt: 150, em: 10, rem: 10, '%': 1_000, '': 10 });
}

/** Drops a line height that is too small for the element's text. Large text then gets `normal`. */
function withOwnLineHeight(declarations: readonly Declaration[], isLargeTag: boolean): readonly Declaration[] {
  const lineHeight = declarations.findLast(({ property }) => property === 'line-height');
  const font = declarations.findLast(({ property }) => property === 'font-size' || property === 'font');
  const fontPx = font === undefined ? undefined : fontPxOf(font.value);
  const rest = declarations.filter(({ property }) => property !== 'line-height');
  if (lineHeight !== undefined && hasRoom(lineHeight.value, font === undefined ? LINE_PX_MIN : fontPx))
    return declarations.filter((declaration) => declaration.property !== 'line-height' || declaration === lineHeight);
  const isLarge = font === undefined ? isLargeTag : (fontPx ?? USUAL_FONT_PX + 1) > USUAL_FONT_PX;
  return isLarge ? [...rest, { property: 'line-height', value: 'normal' }] : rest;
}

/** Undefined when the font may be larger than the surrounding text. */
function fontPxOf(value: string): number | undefined {
  const [, number = '', unit = ''] = ABSOLUTE_FONT.exec(value) ?? [];
  const factor = PX_PER_UNIT[unit.toLowerCase()];
  if (factor !== undefined) return Number(number) * factor;
  if (/\b(?:xx-small|x-small|small|medium|smaller|inherit|initial|unset)\b|^0\b/i.test(value)) return BROWSER_FONT_PX;
  const [, part = '', partUnit = ''] = RELATIVE_FONT.exec(value) ?? [];
  return part !== '' && Number(part) <= (partUnit === '%' ? 100 : 1) ? BROWSER_FONT_PX : undefined;
}

function hasRoom(lineHeight: string, fontPx: number | undefined): boolean {
  const [, number = '', unit = ''] = LINE_HEIGHT_START.exec(lineHeight) ?? [];
  if (number === '') return true;
  const factor = PX_PER_UNIT[unit.toLowerCase()];
  if (factor === undefined) return Number(number) >= (unit === '%' ? 100 : 1);
  return fontPx !== undefined && Number(number) * factor >= Math.max(fontPx, LINE_PX_MIN);
}
