/**
 * Reads mail with postal-mime, and nothing of the service's own parser: a fault of that parser would else hide in each
 * test that asks an emulator what arrived.
 */
import { convert } from 'html-to-text';
import PostalMime, { type Attachment, addressParser, decodeWords } from 'postal-mime';

export type MailAddress = { name: string | null; email: string };

/** The header fields that sort and route a mail. Addresses are in lower case. */
export type MailHead = {
  messageId: string | null;
  inReplyTo: string[];
  references: string[];
  subject: string;
  from: MailAddress | null;
  replyTo: MailAddress[];
  to: string[];
  cc: string[];
  bcc: string[];
};

export type MailContent = { text: string; html: string | null; attachments: Attachment[] };

export function readAddresses(list: string): MailAddress[] {
  return addressParser(list, { flatten: true }).flatMap(({ name, address = '' }) =>
    address.includes('@') ? [{ name: name === '' ? null : name, email: address }] : [],
  );
}

/** Where the line breaks that end the header begin. */
export function headerEnd(raw: Buffer): number {
  const crlf = raw.indexOf('\r\n\r\n');
  const end = crlf === -1 ? raw.length : crlf;
  // Searches only up to there, since the rest of the mail may be large.
  const lf = raw.subarray(0, end).indexOf('\n\n');
  return lf === -1 ? end : lf;
}

/** The fields of a header with their names as written. Folded lines are joined. */
export function headersOf(raw: Buffer): { name: string; value: string }[] {
  return raw
    .toString('utf8', 0, headerEnd(raw))
    .split(/\r?\n(?![ \t])/)
    .flatMap((line) => {
      const [, name, value] = /^([!-9;-~]+)[ \t]*:([\s\S]*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [{ name, value: value.replace(/\s+/g, ' ').trim() }];
    });
}

export function readHead(raw: Buffer): MailHead {
  const fields = headersOf(raw);
  const all = (name: string) => fields.filter((field) => field.name.toLowerCase() === name).map(({ value }) => value);
  const first = (name: string) => all(name)[0] ?? '';
  const ids = (name: string) => [...first(name).matchAll(/<([^<>\s]+)>/g)].map(([, id = '']) => id);
  const emails = (name: string) =>
    all(name)
      .flatMap(readAddresses)
      .map(({ email }) => email.toLowerCase());
  return {
    messageId: ids('message-id')[0] ?? null,
    inReplyTo: ids('in-reply-to'),
    references: ids('references'),
    subject: decodeWords(first('subject')),
    from: readAddresses(first('from'))[0] ?? null,
    replyTo: readAddresses(first('reply-to')),
    to: emails('to'),
    cc: emails('cc'),
    bcc: emails('bcc'),
  };
}

const contents = new WeakMap<Buffer, Promise<MailContent>>();

/** Reads the content of each mail once. An attached mail is an attachment. Bytes that are no mail have no content. */
export function readContent(raw: Buffer): Promise<MailContent> {
  const known = contents.get(raw) ?? parsed(raw);
  contents.set(raw, known);
  return known;
}

async function parsed(raw: Buffer): Promise<MailContent> {
  try {
    const { text, html = null, attachments } = await PostalMime.parse(raw, { forceRfc822Attachments: true });
    return { text: text ?? convert(html ?? ''), html, attachments };
  } catch {
    return { text: '', html: null, attachments: [] };
  }
}
