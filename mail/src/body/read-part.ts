/** Reads single parts of a mail: their bytes, their text and their file names. */

import { isKnownCharset } from '../charset.ts';
import { decodeWords } from '../encoded-words.ts';
import { cleanFileName } from '../file-name.ts';
import { fieldOf, readHeaderBlock } from '../header-fields.ts';
import { withLineFeeds } from '../line-ends.ts';
import type { MimePart } from '../mime-tree.ts';
import { decodeTransfer, isBase64 } from '../transfer.ts';
import { unflow } from './flowed-text.ts';
import { charsetOfHtml, charsetOfWords, decodeText } from './text-charset.ts';

export type Block = { text: string | null; html: string | null };
/** The bytes that the rest of the mail may use. Negative after a cut. */
export type BytesLeft = { text: number; html: number };

/** @param charsets the charsets that other parts name, for a part that names none */
export function readBlock(
  raw: Buffer,
  part: MimePart,
  bytesLeft: BytesLeft,
  charsets: readonly string[],
  defects: Set<string>,
): Block {
  const { parameters, value: type } = part.contentType;
  const content = boundedContent(raw, part, bytesLeft);
  const label = parameters.get('charset') ?? null;
  const own = type === 'text/html' ? charsetOfHtml(content) : null;
  const { text: decoded, isCertain } = decodeText(content, label, own === null ? charsets : [own, ...charsets]);
  if (!isCertain && label !== null)
    defects.add(isKnownCharset(label) ? 'text that is not in the charset named' : 'a charset that nobody knows');
  const text = withLineFeeds(decoded);
  if (type === 'text/html') return { text: null, html: text };
  const isFlowed = parameters.get('format')?.toLowerCase() === 'flowed';
  return { text: isFlowed ? unflow(text, parameters.get('delsp')?.toLowerCase() === 'yes') : text, html: null };
}

/** The charsets that a mail names anywhere: in its parts, in its HTML, and in the words of its header. */
export function charsetsOf(raw: Buffer, root: MimePart): string[] {
  const found: string[] = [];
  const visit = (part: MimePart): void => {
    const { value: type, parameters } = part.contentType;
    if (type.startsWith('text/')) found.push(parameters.get('charset') ?? '');
    if (type === 'text/html') found.push(charsetOfHtml(contentOf(raw, part, HTML_HEAD_BYTES)) ?? '');
    part.children.forEach(visit);
  };
  visit(root);
  for (const name of ['subject', 'from']) found.push(charsetOfWords(fieldOf(root.fields, name) ?? '') ?? '');
  return [...new Set(found.filter(Boolean))].slice(0, CHARSETS_MAX);
}

const HTML_HEAD_BYTES = 16_384;
const CHARSETS_MAX = 5;

/**
 * Returns as much of a text part as the mail's limit still allows, and cuts at a line end if possible. Lowers the
 * limit.
 */
function boundedContent(raw: Buffer, part: MimePart, bytesLeft: BytesLeft): Buffer {
  const kind = part.contentType.value === 'text/html' ? 'html' : 'text';
  const left = Math.max(0, bytesLeft[kind]);
  const content = contentOf(raw, part, left * ENCODED_BYTES_MAX);
  bytesLeft[kind] -= Math.max(content.length, (part.bodyEnd - part.bodyStart) / ENCODED_BYTES_MAX);
  if (content.length <= left) return content;
  const lineFeed = content.lastIndexOf(0x0a, left - 1);
  if (lineFeed > left - LINE_BYTES_MAX) return content.subarray(0, lineFeed + 1);
  let end = left;
  while (end > 0 && (content[end]! & 0xc0) === 0x80) end--; // end is below the length
  return content.subarray(0, end);
}

/** Quoted-printable needs three bytes for one byte, plus line ends. */
const ENCODED_BYTES_MAX = 4;
const LINE_BYTES_MAX = 65_536;

/** The bytes of a part, decoded. Text that only says that it is base64 stays as it is. */
export function contentOf(raw: Buffer, part: MimePart, bytesMax = Number.POSITIVE_INFINITY): Buffer {
  const encoding = fieldOf(part.fields, 'content-transfer-encoding') ?? '';
  const source = raw.subarray(part.bodyStart, Math.min(part.bodyEnd, part.bodyStart + bytesMax));
  const isText = /^text\/(?:plain|html)$/.test(part.contentType.value);
  return isText && /base64/i.test(encoding) && !isBase64(source) ? source : decodeTransfer(source, encoding);
}

/** The name of a part. A mail within the mail is named after its subject. */
export function fileNameOf(part: MimePart, content?: Buffer): string | null {
  const { disposition, contentType } = part;
  const given = cleanFileName(disposition.parameters.get('filename') || contentType.parameters.get('name') || '');
  if (given !== null || content === undefined || !isEnclosedMail(part)) return given;
  const subject = fieldOf(readHeaderBlock(content, 0, content.length).fields, 'subject') ?? '';
  const name = cleanFileName(decodeWords(subject).replace(/[/\\:*?"<>|]/g, '_'));
  return name === null ? null : cleanFileName(`${name}.eml`);
}

export function isEnclosedMail({ contentType: { value } }: MimePart): boolean {
  return value === 'message/rfc822' || value === 'message/global';
}
