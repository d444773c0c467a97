/** Collects the text, the HTML and the attachments of a mail from its part tree. */

import { cleanText } from '../charset.ts';
import { fieldOf } from '../header-fields.ts';
import { htmlToText, textToHtml } from '../html/html-text.ts';
import type { MailAttachment, ParsedMail } from '../mail.ts';
import { type MimePart, readMimeTree } from '../mime-tree.ts';
import { wordsOfFile, wordsOfMail } from './lone-part.ts';
import {
  type Block,
  type BytesLeft,
  charsetsOf,
  contentOf,
  fileNameOf,
  isEnclosedMail,
  readBlock,
} from './read-part.ts';
import { signedContent } from './signed-data.ts';

export type CollectedBody = Pick<ParsedMail, 'text' | 'isTextFromHtml' | 'html' | 'attachments'> & {
  truncated: ('text' | 'html')[];
};

/**
 * Collects the body of a mail.
 * - Of alternatives, keeps all plain texts that differ, and the last HTML.
 * - Joins the text parts of a mixed mail one below the other.
 * - Reads the content of an S/MIME signature in place of it.
 * - Treats every other part as an attachment, in order, including message/rfc822 and report parts.
 * - Converts the HTML to text when no text part has content.
 * - When there are no words at all, takes those of a part: of a text with a name, an invitation, an enclosed mail.
 * Reads at most BODY_BYTES_MAX of text and as many bytes of HTML over all parts. `truncated` names the kinds that are
 * longer.
 */
export function collectBody(raw: Buffer, root: MimePart, defects: Set<string>): CollectedBody {
  return collectFrom(raw, root, defects, true);
}

/** @param takesFiles for the text of an enclosed mail alone, files are neither decoded nor searched for words */
function collectFrom(raw: Buffer, root: MimePart, defects: Set<string>, takesFiles: boolean): CollectedBody {
  const bytesLeft = { text: BODY_BYTES_MAX, html: BODY_BYTES_MAX };
  const unwraps = { left: UNWRAPS_MAX };
  const found: BodyParts = { blocks: [], files: [], bytesLeft, charsets: charsetsOf(raw, root), unwraps, takesFiles };
  collectPart(raw, root, 'root', found, defects);
  const { blocks } = found;
  const texts = blocks.map(blockText);
  // A picture in the HTML says something too.
  if (blocks.every(({ html }, at) => texts[at]?.trim() === '' && !/<img\b/i.test(html ?? ''))) {
    const words = wordsOfFiles(found, defects);
    if (words !== null) {
      blocks.push(words);
      texts.splice(0, texts.length, blockText(words));
    }
  }
  const html = joinHtml(blocks);
  return {
    text: cleanText(texts.join('\n')),
    isTextFromHtml: !blocks.every(hasOwnText),
    html: html === null ? null : cleanText(html),
    attachments: found.files.map(({ attachment }) => attachment),
    truncated: (['text', 'html'] as const).filter((kind) => bytesLeft[kind] < 0),
  };
}

/** More than a message shows, even at four bytes a character. Bounds the memory and time for one mail. */
const BODY_BYTES_MAX = 4_194_304;
/** A mail is signed once, or twice by a gateway. */
const UNWRAPS_MAX = 3;

type BodyParts = {
  blocks: Block[];
  files: { raw: Buffer; part: MimePart; attachment: MailAttachment }[];
  bytesLeft: BytesLeft;
  charsets: readonly string[];
  unwraps: { left: number };
  takesFiles: boolean;
};

/** `main` is a part that its multipart names as the text to show, whether it has a file name or not. */
type Place = 'root' | 'main' | 'part';

function collectPart(raw: Buffer, part: MimePart, place: Place, found: BodyParts, defects: Set<string>): void {
  const signed = signedTree(raw, part, found, defects);
  if (part.children.length > 0) collectChildren(raw, part, found, defects);
  else if (signed !== null) collectPart(signed.raw, signed.root, place, found, defects);
  else if (isBodyPart(part, place, found))
    found.blocks.push(readBlock(raw, part, found.bytesLeft, found.charsets, defects));
  else pushFile(raw, part, found, defects);
}

function collectChildren(raw: Buffer, part: MimePart, found: BodyParts, defects: Set<string>): void {
  const type = part.contentType.value;
  if (type !== 'multipart/alternative') {
    const isRelated = type === 'multipart/related';
    for (const [at, child] of part.children.entries())
      collectPart(raw, child, isRelated && at === 0 ? 'main' : 'part', found, defects);
    return;
  }
  const choices = shownChoices(part.children).flatMap((child) => {
    const inside: BodyParts = { ...found, blocks: [] };
    collectPart(raw, child, isChoice(child, part.children) ? 'main' : 'part', inside, defects);
    return inside.blocks.length === 0 ? [] : [joinBlocks(inside.blocks)];
  });
  if (choices.length === 0) return;
  found.blocks.push({
    text: joinPlain(choices.flatMap(({ text }) => (text === null || text.trim() === '' ? [] : [text]))),
    html: choices.findLast((block) => block.html !== null)?.html ?? null,
  });
}

/** Without the forms for watches and interactive readers, and without old rich text beside other text. */
function shownChoices(choices: readonly MimePart[]): readonly MimePart[] {
  const isShown = ({ contentType, children }: MimePart) =>
    children.length > 0 || contentType.value === 'text/plain' || contentType.value === 'text/html';
  if (!choices.some(isShown)) return choices;
  return choices.filter((choice) => fileNameOf(choice) !== null || !OTHER_FORMS.has(choice.contentType.value));
}

const OTHER_FORMS: ReadonlySet<string> = new Set([
  ...['text/x-amp-html', 'text/watch-html', 'text/enriched', 'text/richtext', 'text/markdown'],
]);

/** A named text among alternatives is a file only beside a text of its kind without a name. */
function isChoice(child: MimePart, siblings: readonly MimePart[]): boolean {
  return !siblings.some(
    (other) => other !== child && other.contentType.value === child.contentType.value && fileNameOf(other) === null,
  );
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

function isBodyPart(part: MimePart, place: Place, found: BodyParts): boolean {
  const type = part.contentType.value;
  const isNamed = fileNameOf(part) !== null;
  if (part.disposition.value === 'attachment') return place === 'root' && !isNamed && isText(part);
  // Show the content of a multipart without any part as text.
  if (type.startsWith('multipart/')) return true;
  if (!isText(part)) return place !== 'part' && SHOWN_AS_TEXT.has(type);
  return place !== 'part' || !isNamed || (found.blocks.length === 0 && part.disposition.value !== 'inline');
}

function isText({ contentType: { value } }: MimePart): boolean {
  return value === 'text/plain' || value === 'text/html';
}

/** Text types that old mail uses for its whole content. People can read them without conversion. */
const SHOWN_AS_TEXT: ReadonlySet<string> = new Set(['text/enriched', 'text/richtext', 'text/markdown']);

function hasOwnText(block: Block): boolean {
  return block.html === null || (block.text !== null && block.text.trim() !== '');
}

function blockText(block: Block): string {
  if (hasOwnText(block)) return block.text ?? '';
  return htmlToText(block.html ?? '');
}

/** The tree of the mail inside an opaque S/MIME signature (RFC 8551 §3.5.2). */
function signedTree(raw: Buffer, part: MimePart, found: BodyParts, defects: Set<string>) {
  const { value: type, parameters } = part.contentType;
  const isSigned =
    /^application\/(?:x-)?pkcs7-mime$/.test(type) ||
    (type === 'application/octet-stream' && /\.p7m$/i.test(fileNameOf(part) ?? ''));
  if (!isSigned || /^(?:enveloped|compressed|authenveloped)/i.test(parameters.get('smime-type') ?? '')) return null;
  if (found.unwraps.left <= 0) return null;
  found.unwraps.left--;
  const content = signedContent(contentOf(raw, part));
  if (content === null) return null;
  const tree = readMimeTree(content, 0);
  if (tree.root.fields.length === 0) return null;
  for (const defect of tree.defects) defects.add(defect);
  return { raw: content, root: tree.root };
}

function pushFile(raw: Buffer, part: MimePart, found: BodyParts, defects: Set<string>): void {
  if (!found.takesFiles) return;
  const content = contentOf(raw, part);
  if (content.length === 0 && part.fields.length === 0) {
    defects.add('an empty part');
    return;
  }
  const attachment = {
    fileName: fileNameOf(part, content),
    contentType: part.contentType.value,
    contentId: bareValue(part, 'content-id'),
    location: bareValue(part, 'content-location'),
    content,
  };
  found.files.push({ raw, part, attachment });
}

function bareValue(part: MimePart, name: string): string | null {
  const value = fieldOf(part.fields, name)?.slice(0, ID_CHARS_MAX);
  return value?.replace(/^[\s<]+|(?<![\s>])[\s>]+$/g, '') || null;
}

/** The words of the files, for a mail without other words. The files stay, except a text that is all the mail has. */
function wordsOfFiles(found: BodyParts, defects: Set<string>): Block | null {
  const { files, blocks, bytesLeft, charsets } = found;
  const named = files.find(({ part }) => isText(part) && part.disposition.value !== 'attachment');
  if (named !== undefined) {
    if (blocks.length === 0) files.splice(files.indexOf(named), 1);
    return readBlock(named.raw, named.part, bytesLeft, charsets, defects);
  }
  const words = files.slice(0, FILES_READ_MAX).map(({ raw, part }) => wordsOfFile(raw, part, charsets));
  const text = [...new Set(words)].filter(Boolean).join('\n\n') || wordsOfEnclosed(found);
  return text === '' ? null : { text: `${text}\n`, html: null };
}

const ID_CHARS_MAX = 998;
const FILES_READ_MAX = 20;

function wordsOfEnclosed({ files }: BodyParts): string {
  const enclosed = files.find(({ part }) => isEnclosedMail(part));
  if (enclosed === undefined) return '';
  const content = Buffer.from(enclosed.attachment.content);
  const { root } = readMimeTree(content, 0);
  return wordsOfMail(root, collectFrom(content, root, new Set(), false).text);
}
