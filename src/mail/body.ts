/** Collects the text, the HTML and the attachments of a mail from its part tree. */
import { namedContentIds } from '../lib/content-ids.ts';
import { cleanFileName } from '../lib/file-name.ts';
import { htmlToText, textToHtml } from '../lib/html/html-text.ts';
import { unflow } from './body-text.ts';
import { cleanText, decodeCharset, isKnownCharset } from './charset.ts';
import { fieldOf } from './header-fields.ts';
import { withLineFeeds } from './line-ends.ts';
import type { MailAttachment, ParsedMail } from './mail.ts';
import type { MimePart } from './mime-tree.ts';
import { decodeTransfer } from './transfer.ts';

/**
 * Collects the body of a mail.
 * - Of alternatives, keeps all plain texts that differ, and the last HTML.
 * - Joins the text parts of a mixed mail one below the other.
 * - Treats every other part as an attachment, in order, including message/rfc822 and report parts.
 * - Converts the HTML to text when no text part has content.
 * Reads at most BODY_BYTES_MAX of text and as many bytes of HTML over all parts. `truncated` names the kinds that are
 * longer.
 */
export function collectBody(
  raw: Buffer,
  root: MimePart,
  defects: Set<string>,
): Pick<ParsedMail, 'text' | 'isTextFromHtml' | 'html' | 'attachments'> & { truncated: ('text' | 'html')[] } {
  const bytesLeft = { text: BODY_BYTES_MAX, html: BODY_BYTES_MAX };
  const found: BodyParts = { blocks: [], attachments: [], bytesLeft };
  collectPart(raw, root, true, found, defects);
  const { blocks } = found;
  const html = joinHtml(blocks);
  const text = blocks.map(blockText).join('\n');
  return {
    text: cleanText(text),
    isTextFromHtml: !blocks.every(hasOwnText),
    html: html === null ? null : cleanText(html),
    attachments: markInline(found.attachments, html),
    truncated: (['text', 'html'] as const).filter((kind) => bytesLeft[kind] < 0),
  };
}

type Block = { text: string | null; html: string | null };
/** More than a message shows, even at four bytes a character. Bounds the memory and time for one mail. */
const BODY_BYTES_MAX = 4_194_304;

type BodyParts = {
  blocks: Block[];
  attachments: MailAttachment[];
  /** The bytes that the rest of the mail may use. Negative after a cut. */
  bytesLeft: { text: number; html: number };
};

function collectPart(raw: Buffer, part: MimePart, isRoot: boolean, found: BodyParts, defects: Set<string>): void {
  if (part.children.length === 0) {
    if (isBodyPart(part, isRoot, found)) found.blocks.push(readBlock(raw, part, found.bytesLeft, defects));
    else pushAttachment(raw, part, found, defects);
    return;
  }
  if (part.contentType.value !== 'multipart/alternative') {
    for (const child of part.children) collectPart(raw, child, false, found, defects);
    return;
  }
  const choices = part.children.flatMap((child) => {
    const inside: BodyParts = { ...found, blocks: [] };
    collectPart(raw, child, false, inside, defects);
    return inside.blocks.length === 0 ? [] : [joinBlocks(inside.blocks)];
  });
  if (choices.length === 0) return;
  found.blocks.push({
    text: joinPlain(choices.flatMap(({ text }) => (text === null || text.trim() === '' ? [] : [text]))),
    html: choices.findLast((block) => block.html !== null)?.html ?? null,
  });
}

/**
 * Alternatives should have the same words. Keeps all plain texts that differ, because each may have words of its own.
 */
function joinPlain(texts: readonly string[]): string | null {
  const words = texts.map((text) => text.replace(/[\s\u00a0]+/g, ' ').trim());
  const isContained = (at: number) =>
    words.some(
      (other, place) => place !== at && other.includes(words[at] ?? '') && (other !== words[at] || place > at),
    );
  return texts.length === 0 ? null : texts.filter((_, at) => !isContained(at)).join('\n');
}

/** Apple Mail writes alternatives that contain several bodies with files between them. */
function joinBlocks(blocks: readonly Block[]): Block {
  const hasText = blocks.every((block) => block.text !== null);
  return { text: hasText ? blocks.map((block) => block.text).join('\n') : null, html: joinHtml(blocks) };
}

function joinHtml(blocks: readonly Block[]): string | null {
  if (blocks.every((block) => block.html === null)) return null;
  return blocks.map((block) => block.html ?? textToHtml(block.text ?? '')).join('\n');
}

function isBodyPart(part: MimePart, isRoot: boolean, found: BodyParts): boolean {
  if (part.disposition.value === 'attachment') return false;
  const type = part.contentType.value;
  // Show the content of a multipart without any part as text.
  if (type.startsWith('multipart/')) return true;
  if (type !== 'text/plain' && type !== 'text/html') return isRoot && SHOWN_AS_TEXT.has(type);
  return isRoot || fileNameOf(part) === null || (found.blocks.length === 0 && part.disposition.value !== 'inline');
}

/** Text types that old mail uses for its whole content. People can read them without conversion. */
const SHOWN_AS_TEXT: ReadonlySet<string> = new Set(['text/enriched', 'text/richtext', 'text/markdown']);

function readBlock(raw: Buffer, part: MimePart, bytesLeft: BodyParts['bytesLeft'], defects: Set<string>): Block {
  const { parameters, value: type } = part.contentType;
  const content = boundedContent(raw, part, bytesLeft);
  const label = parameters.get('charset') ?? null;
  const { text: decoded, isCertain } = decodeCharset(content, label);
  if (!isCertain && label !== null)
    defects.add(isKnownCharset(label) ? 'text that is not in the charset named' : 'a charset that nobody knows');
  const text = withLineFeeds(decoded);
  if (type === 'text/html') return { text: null, html: text };
  const isFlowed = parameters.get('format')?.toLowerCase() === 'flowed';
  return { text: isFlowed ? unflow(text, parameters.get('delsp')?.toLowerCase() === 'yes') : text, html: null };
}

function hasOwnText(block: Block): boolean {
  return block.html === null || (block.text !== null && block.text.trim() !== '');
}

function blockText(block: Block): string {
  if (hasOwnText(block)) return block.text ?? '';
  return htmlToText(block.html ?? '');
}

/**
 * Returns as much of a text part as the mail's limit still allows, and cuts at a line end if possible. Lowers the
 * limit.
 */
function boundedContent(raw: Buffer, part: MimePart, bytesLeft: BodyParts['bytesLeft']): Buffer {
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

function contentOf(raw: Buffer, part: MimePart, bytesMax = Number.POSITIVE_INFINITY): Buffer {
  const encoding = fieldOf(part.fields, 'content-transfer-encoding') ?? '';
  return decodeTransfer(raw.subarray(part.bodyStart, Math.min(part.bodyEnd, part.bodyStart + bytesMax)), encoding);
}

function pushAttachment(raw: Buffer, part: MimePart, found: BodyParts, defects: Set<string>): void {
  const content = contentOf(raw, part);
  if (content.length === 0 && part.fields.length === 0) {
    defects.add('an empty part');
    return;
  }
  const contentId = fieldOf(part.fields, 'content-id')?.replace(/^[\s<]+|(?<![\s>])[\s>]+$/g, '') ?? '';
  found.attachments.push({
    fileName: fileNameOf(part),
    contentType: part.contentType.value,
    contentId: contentId === '' ? null : contentId,
    isInline: false,
    content,
  });
}

function fileNameOf(part: MimePart): string | null {
  return cleanFileName(part.disposition.parameters.get('filename') || part.contentType.parameters.get('name') || '');
}

/** A part is inline when the HTML refers to its Content-ID (RFC 2392), regardless of its Content-Disposition. */
function markInline(attachments: readonly MailAttachment[], html: string | null): MailAttachment[] {
  if (html === null || attachments.every((attachment) => attachment.contentId === null)) return [...attachments];
  const named = namedContentIds(html);
  return attachments.map((attachment) => ({
    ...attachment,
    isInline: attachment.contentId !== null && named.has(attachment.contentId),
  }));
}
