/** Parses the raw bytes of a mail, however damaged the mail is. */
import { readAddresses } from './addresses.ts';
import { collectBody } from './body/collect-body.ts';
import { asBuffer } from './charset.ts';
import { decodeWords, oneLine } from './encoded-words.ts';
import { blankBytesOf, headerStartOf } from './files/mail-beginning.ts';
import { fieldOf, HEADER_TOO_LARGE } from './header-fields.ts';
import { fromMacintosh, isMacintosh } from './line-ends.ts';
import type { MailAddress, MailHeader, ParsedMail } from './mail.ts';
import { readMailDate } from './mail-date.ts';
import { readMessageIds } from './message-ids.ts';
import { readMimeTree } from './mime-tree.ts';

export type UnparsableReason = 'empty' | 'blank' | 'no-header';

/** The only error that parseMail throws: the bytes are not a mail at all. */
export class UnparsableMail extends Error {
  readonly reason: UnparsableReason;

  constructor(reason: UnparsableReason) {
    super(`not a mail: ${REASON_TEXTS[reason]}`);
    this.name = 'UnparsableMail';
    this.reason = reason;
  }
}

const REASON_TEXTS = {
  empty: 'the file is empty',
  blank: 'nothing but zero bytes or white space',
  'no-header': 'no header field was found',
} as const satisfies Record<UnparsableReason, string>;

/**
 * Parses one raw mail (RFC 5322, 2045–2047, 2231, 6532). Repairs the mistakes of real programs, see `defects`.
 * Skips leading mbox `From ` lines, byte order mark and empty lines. Attachments may share memory with `raw`, so do
 * not write to it afterwards. No returned string contains U+0000 or a lone surrogate.
 * Linear in the size of the mail: 30 MB take well under a second. The caller limits the size.
 * Words without any header field are the text of a mail.
 * @throws UnparsableMail (as a rejection) when the bytes are other content, without a header. Throws nothing else.
 */
export async function parseMail(raw: Uint8Array): Promise<ParsedMail> {
  const given = asBuffer(raw);
  const bytes = isMacintosh(given) ? fromMacintosh(given) : given;
  const start = findStart(bytes);
  const tree = readMimeTree(bytes, start);
  const { fields } = tree.root;
  const defects = new Set(tree.defects);
  if (fields.length === 0) {
    if (!isPlainText(bytes, start)) throw new UnparsableMail('no-header');
    defects.add('no header');
  }
  const body = collectBody(bytes, tree.root, defects);
  return {
    ...readEnvelope(fields, defects),
    ...body,
    headers: fields,
    truncated: [...(defects.has(HEADER_TOO_LARGE) ? (['header'] as const) : []), ...body.truncated],
    defects: [...defects],
  };
}

type Envelope = Omit<ParsedMail, 'text' | 'html' | 'attachments' | 'headers' | 'truncated' | 'defects'>;

function readEnvelope(fields: readonly MailHeader[], defects: Set<string>): Envelope {
  const messageIdField = fieldOf(fields, 'message-id');
  const messageId = readMessageIds(messageIdField ?? '')[0] ?? null;
  if (messageIdField === null) defects.add('no Message-ID');
  else if (messageId === null) defects.add('an unusable Message-ID');
  const froms = addressesOf(fields, 'from');
  if (froms.length > 1) defects.add('more than one From');
  if (froms.length === 0) defects.add('no usable From');
  const dateField = fieldOf(fields, 'date');
  const date = dateField === null ? null : readMailDate(dateField);
  if (date === null) defects.add(dateField === null ? 'no Date' : 'a Date that is none');
  return {
    messageId,
    inReplyTo: readMessageIds(valuesOf(fields, 'in-reply-to').join(' ')),
    references: readMessageIds(valuesOf(fields, 'references').join(' ')),
    from: froms[0] ?? null,
    sender: addressesOf(fields, 'sender')[0] ?? null,
    replyTo: addressesOf(fields, 'reply-to'),
    to: addressesOf(fields, 'to'),
    cc: addressesOf(fields, 'cc'),
    deliveredTo: deliveredTo(fields),
    subject: oneLine(decodeWords(fieldOf(fields, 'subject') ?? '')),
    date,
    receivedAt: receivedAt(fields),
  };
}

/** Finds where the header begins. Throws when the mail is empty or blank. */
function findStart(bytes: Buffer): number {
  if (bytes.length === 0) throw new UnparsableMail('empty');
  const at = blankBytesOf(bytes);
  if (at === bytes.length) throw new UnparsableMail('blank');
  return headerStartOf(bytes, at);
}

/** Rather the words of a program that writes no header than a file, or the page of a server in place of the mail. */
function isPlainText(bytes: Buffer, start: number): boolean {
  return !bytes.includes(0) && bytes[start] !== 0x3c; // <
}

function valuesOf(fields: readonly MailHeader[], name: string): string[] {
  return fields.filter((field) => field.name === name).map((field) => field.value);
}

const REPEATED_FIELDS_MAX = 20;

function addressesOf(fields: readonly MailHeader[], name: string): MailAddress[] {
  return valuesOf(fields, name).slice(0, REPEATED_FIELDS_MAX).flatMap(readAddresses);
}

function deliveredTo(fields: readonly MailHeader[]): string[] {
  const emails = ['delivered-to', 'x-original-to', 'envelope-to', 'x-rcpt-to'].flatMap((name) =>
    addressesOf(fields, name).map((address) => address.email),
  );
  return [...new Set([...emails, ...namedByLastServer(fields)])];
}

/** Long enough for any field that servers write. */
const RECEIVED_MAX = 2_000;

/**
 * The addresses after `for` in the Received fields of the server that took the mail last (RFC 5321 §4.4). It may have
 * passed the mail on within itself, and then wrote several fields.
 */
function namedByLastServer(fields: readonly MailHeader[]): string[] {
  const hops = valuesOf(fields, 'received')
    .slice(0, REPEATED_FIELDS_MAX)
    .map((value) => {
      const clauses = value.slice(0, RECEIVED_MAX).replace(/\([^()]*\)/g, ' ');
      return {
        by: /\bby\s+([^\s;]+)/i.exec(clauses)?.[1]?.toLowerCase(),
        to: /\bfor\s+<?([^\s<>;]+)/i.exec(clauses)?.[1],
      };
    });
  const last = hops[0]?.by;
  const others = hops.findIndex(({ by }) => by === undefined || by !== last);
  const ofLast = others === -1 ? hops : hops.slice(0, others);
  return ofLast.flatMap(({ to }) => (to?.includes('@') ? readAddresses(to) : [])).map(({ email }) => email);
}

/** Each relay adds its Received field at the top, with the date after the last semicolon (RFC 5321 §4.4). */
function receivedAt(fields: readonly MailHeader[]): Date | null {
  for (const value of valuesOf(fields, 'received').slice(0, REPEATED_FIELDS_MAX)) {
    const date = readMailDate(value.slice(value.lastIndexOf(';') + 1));
    if (date !== null) return date;
  }
  return null;
}
