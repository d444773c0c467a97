/** Finds the charset of text whose part does not name it, or names it wrongly. */
import { isAscii, isUtf8 } from 'node:buffer';
import { type DecodedText, decodeCharset } from '../charset.ts';

/** Browsers look for the name within the first 1,024 bytes. Mail programs write longer heads. */
const HEAD_BYTES_MAX = 8_192;

/**
 * Decodes by the charset that the part names. If that does not fit, or the part names none, decodes by the byte order
 * mark, by the first of the other names that fits, or by what the bytes look like.
 * @param others charsets named elsewhere, the nearest first
 */
export function decodeText(content: Buffer, label: string | null, others: readonly string[]): DecodedText {
  const marked = byMark(content);
  if (marked !== null) return decodeCharset(content, marked);
  const named = decodeCharset(content, label);
  // Text of several bytes a character that is valid UTF-8 is UTF-8, whatever else names.
  if (named.isCertain || (isUtf8(content) && !isAscii(content))) return named;
  for (const other of others) {
    const decoded = decodeCharset(content, other);
    if (decoded.isCertain) return decoded;
  }
  return named;
}

function byMark(content: Buffer): string | null {
  if (content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf) return isUtf8(content) ? 'utf-8' : null;
  if (content[0] === 0xff && content[1] === 0xfe) return 'utf-16le';
  return content[0] === 0xfe && content[1] === 0xff ? 'utf-16be' : null;
}

/** The charset that HTML names in a `<meta>` element or in an XML declaration. */
export function charsetOfHtml(content: Buffer): string | null {
  const head = content.toString('latin1', 0, HEAD_BYTES_MAX);
  const declared = /^\s{0,100}<\?xml\s[^>]{0,200}?\bencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,60})/i.exec(head)?.[1];
  if (declared !== undefined) return usable(declared);
  for (const [tag] of withoutComments(head).matchAll(/<meta\s[^>]{1,1000}/gi)) {
    const named = /\bcharset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,60})/i.exec(tag)?.[1];
    if (named !== undefined) return usable(named);
  }
  return null;
}

function withoutComments(html: string): string {
  const [before = '', ...comments] = html.split('<!--');
  return before + comments.map((comment) => comment.split('-->').slice(1).join('-->')).join('');
}

/** HTML that can be read until it names UTF-16 or UTF-7 is not written in it. */
function usable(label: string): string | null {
  return /^(?:x-)?(?:unicode-?[12]-?[01]-?)?ut[fc]-?(?:7|16|32)/i.test(label) ? null : label;
}

/** The charset of the first encoded word of a header field. */
export function charsetOfWords(value: string): string | null {
  return /=\?([\w.:-]{1,60})(?:\*[\w-]{0,20})?\?[bq]\?/i.exec(value)?.[1] ?? null;
}
