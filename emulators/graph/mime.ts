/** Reads, writes and rewrites MIME for the Graph emulator. */
import { randomUUID } from 'node:crypto';
import { headerEnd, type MailHead, readHead } from '../read-mail.ts';
import type { AttachedFile } from './world.ts';

/** A draft, which may lack any part. Addresses are written as in a header. */
export type DraftFields = {
  from: string;
  to?: string[];
  cc?: string[];
  bcc?: string[];
  replyTo?: string[];
  subject?: string;
  text?: string;
  html?: string;
  messageId: string;
  /** Put below the others unchanged. */
  headers?: Record<string, string>;
};

const heads = new WeakMap<Buffer, MailHead>();

/** Reads each header once. */
export function headOf(raw: Buffer): MailHead {
  const head = heads.get(raw) ?? readHead(raw);
  heads.set(raw, head);
  return head;
}

export const bracketed = (id: string): string => (id.startsWith('<') ? id : `<${id}>`);

/** An address as written in a header. */
export function written({ name, email }: { name: string | null; email: string }): string {
  return name === null || name === '' ? `<${email}>` : `${encoded(name, { isPhrase: true })} <${email}>`;
}

export function writeDraft(draft: DraftFields, now: Date): Buffer {
  const list = (addresses: string[] = []) => (addresses.length === 0 ? undefined : addresses.join(',\r\n '));
  const fields: [string, string | undefined][] = [
    ['From', draft.from],
    ['To', list(draft.to)],
    ['Cc', list(draft.cc)],
    ['Bcc', list(draft.bcc)],
    ['Reply-To', list(draft.replyTo)],
    ['Subject', encoded(draft.subject ?? '')],
    ['Date', now.toUTCString().replace('GMT', '+0000')],
    ['Message-ID', bracketed(draft.messageId)],
    ['MIME-Version', '1.0'],
    ...Object.entries(draft.headers ?? {}),
  ];
  const head = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`])).join('');
  return Buffer.concat([Buffer.from(head), bodyPart(draft)]);
}

/** The content's header fields, an empty line and the content. */
function bodyPart({ text = '', html }: Pick<DraftFields, 'text' | 'html'>): Buffer {
  const part = (subtype: string, content: string) =>
    [
      `Content-Type: text/${subtype}; charset=utf-8`,
      'Content-Transfer-Encoding: base64',
      '',
      base64Lines(Buffer.from(content)),
      '',
    ].join('\r\n');
  if (html === undefined) return Buffer.from(part('plain', text));
  if (text === '') return Buffer.from(part('html', html));
  return multipart('alternative', [Buffer.from(part('plain', text)), Buffer.from(part('html', html))]);
}

function multipart(subtype: string, parts: Buffer[]): Buffer {
  const boundary = `_000_${randomUUID()}_`;
  return Buffer.concat([
    Buffer.from(`Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n`),
    ...parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

function base64Lines(content: Buffer): string {
  return content.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n');
}

export function encoded(text: string, { isPhrase = false } = {}): string {
  if (/^[\x20-\x7e]*$/.test(text)) return isPhrase ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
  // Splits between characters into encoded words of at most 75 (RFC 2047 §2).
  const chunks = [...text].reduce<string[]>((words, character) => {
    const last = words.at(-1);
    if (last !== undefined && Buffer.byteLength(last + character) <= 42) words[words.length - 1] = last + character;
    else words.push(character);
    return words;
  }, []);
  return chunks.map((chunk) => `=?utf-8?B?${Buffer.from(chunk).toString('base64')}?=`).join('\r\n ');
}

type Line = { name: string; text: string };

/** The header fields as written, and the rest: the empty line and the content. */
function split(raw: Buffer): { lines: Line[]; body: Buffer } {
  const end = headerEnd(raw);
  const lines = raw
    .toString('latin1', 0, end)
    .split(/\r?\n(?![ \t])/)
    .map((line) => ({ name: line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase(), text: line }));
  return { lines, body: raw.subarray(end + (raw[end] === 0x0d ? 4 : 2)) };
}

function join(lines: readonly Line[], body: Buffer): Buffer {
  const head = lines.map(({ text }) => `${text.replace(/\r?\n/g, '\r\n')}\r\n`).join('');
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body]);
}

/** Replaces fields by name, with values as given. `null` removes a field. */
export function withFields(raw: Buffer, changes: Record<string, string | null>): Buffer {
  const { lines, body } = split(raw);
  const names = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [{ name: name.toLowerCase(), text: Buffer.from(`${name}: ${value}`).toString('latin1') }],
  );
  return join([...lines.filter(({ name }) => !names.has(name)), ...added], body);
}

const usualOrder = ['received', 'from', 'to', 'cc', 'subject', 'thread-topic', 'thread-index', 'date', 'message-id'];
const usualNames: Record<string, string> = { 'mime-version': 'MIME-Version', 'message-id': 'Message-ID' };

/** Rewrites a mail as a server that stores its parts: fields in the server's order and spelling, content unchanged. */
export function rebuilt(raw: Buffer, messageId: string): Buffer {
  const { lines, body } = split(raw);
  const isBroken = lines.some(({ name }) => !/^[!-9;-~]+$/.test(name));
  if (isBroken) return raw;
  const place = ({ name }: Line) => (usualOrder.includes(name) ? usualOrder.indexOf(name) : usualOrder.length);
  const respelt = lines.map(({ name, text }) => ({
    name,
    text: `${spelt(name)}: ${text.slice(name.length + 1).trimStart()}`,
  }));
  if (!respelt.some(({ name }) => name === 'message-id'))
    respelt.push({ name: 'message-id', text: `Message-ID: ${messageId}` });
  const marked = { name: 'x-ms-has-attach', text: 'X-MS-Has-Attach:' };
  return join([...respelt.sort((one, other) => place(one) - place(other)), marked], body);
}

function spelt(name: string): string {
  return usualNames[name] ?? name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

export function withBody(raw: Buffer, body: Pick<DraftFields, 'text' | 'html'>): Buffer {
  const kept = split(raw).lines.filter(({ name }) => !name.startsWith('content-'));
  return Buffer.concat([headerBytes(kept), bodyPart(body)]);
}

/** Adds files to a mail: inline files beside the HTML, the others after it. */
export function withFiles(raw: Buffer, files: readonly AttachedFile[]): Buffer {
  if (files.length === 0) return raw;
  const { lines, body } = split(raw);
  const isOfContent = ({ name }: Line) => name.startsWith('content-');
  const content = Buffer.concat([headerBytes(lines.filter(isOfContent)), Buffer.from('\r\n'), body]);
  const shown = files.filter(({ isInline }) => isInline);
  const others = files.filter(({ isInline }) => !isInline);
  const related = shown.length === 0 ? content : multipart('related', [content, ...shown.map(filePart)]);
  const whole = others.length === 0 ? related : multipart('mixed', [related, ...others.map(filePart)]);
  return Buffer.concat([headerBytes(lines.filter((line) => !isOfContent(line))), whole]);
}

function headerBytes(lines: readonly Line[]): Buffer {
  return Buffer.from(lines.map(({ text }) => `${text.replace(/\r?\n/g, '\r\n')}\r\n`).join(''), 'latin1');
}

function filePart({ name, contentType, contentId, isInline, content }: AttachedFile): Buffer {
  const fileName = encodeURIComponent(name);
  const lines = [
    `Content-Type: ${contentType}`,
    `Content-Disposition: ${isInline ? 'inline' : 'attachment'}; filename*=utf-8''${fileName}`,
    'Content-Transfer-Encoding: base64',
    ...(contentId === null ? [] : [`Content-ID: ${bracketed(contentId)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${base64Lines(content)}`);
}
