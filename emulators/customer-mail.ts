/** Mail that a customer writes, answers or bounces. */
import { randomUUID } from 'node:crypto';
import { readAddresses } from '../src/mail/addresses.ts';
import { composeMail, replyReferences, replySubject } from '../src/mail/compose.ts';
import { decodeWords, oneLine } from '../src/mail/encoded-words.ts';
import type { MailAddress } from '../src/mail/mail.ts';
import { readMessageIds } from '../src/mail/message-ids.ts';

/** A mail as fields. Addresses are written as in a header: `Ada <ada@example.com>`. */
export type MailFields = {
  from?: string;
  to?: string[];
  cc?: string[];
  replyTo?: string[];
  subject?: string;
  text?: string;
  html?: string;
  /** Without brackets, as all ids here. Made up if missing. */
  messageId?: string;
  inReplyTo?: string;
  references?: string[];
  date?: Date | string;
  /** Put on top unchanged, such as `Auto-Submitted`. */
  headers?: Record<string, string>;
  attachments?: { fileName: string; contentType: string; content: Buffer | string; contentId?: string }[];
};

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

/** How an outside address reacts to all its mail. */
export type Habit = 'bounces' | 'is-absent';

const someCustomer = 'Cora Customer <cora@example.com>';

/** @param usual recipient and date for a mail that names none */
export async function writeMail(fields: MailFields, usual: { to: string; date: Date }): Promise<Buffer> {
  const { cc = [], replyTo = [], headers = {}, attachments = [], from = someCustomer } = fields;
  const [author = { name: null, email: from }] = readAddresses(from);
  const mail = await composeMail({
    from: author,
    to: (fields.to ?? [usual.to]).flatMap(readAddresses),
    cc: cc.flatMap(readAddresses),
    replyTo: replyTo.flatMap(readAddresses),
    subject: fields.subject ?? 'A question',
    text: fields.text ?? 'Good day, I have a question.',
    html: fields.html ?? null,
    messageId: fields.messageId ?? `${randomUUID()}@mail.example.com`,
    inReplyTo: fields.inReplyTo ?? null,
    references: fields.references ?? [],
    date: fields.date === undefined ? usual.date : new Date(fields.date),
    attachments: attachments.map(({ content, ...file }) => ({
      ...file,
      content: typeof content === 'string' ? Buffer.from(content, 'base64') : content,
    })),
  });
  const onTop = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(onTop.join('')), mail]);
}

/** A customer's answer to a mail, threaded as mail programs thread it. */
export function answerTo(received: Buffer, from: string, fields: MailFields = {}): MailFields {
  const head = readHead(received);
  const sender = head.replyTo[0] ?? head.from;
  return {
    from,
    to: sender === null ? [] : [sender.email],
    subject: replySubject(head.subject),
    ...(head.messageId === null ? {} : { inReplyTo: head.messageId }),
    references: replyReferences(head),
    ...fields,
  };
}

/** The automatic answer of an absent customer (RFC 3834). */
export function absenceNote(received: Buffer, from: string): MailFields {
  const { subject } = readHead(received);
  return answerTo(received, from, {
    subject: `Automatic reply: ${subject}`,
    text: 'I am out of the office until Monday.',
    headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All', Precedence: 'auto_reply' },
  });
}

export type BounceOptions = { status?: string; action?: 'failed' | 'delayed' };

/** The bounce report to the sender of a mail that could not be delivered (RFC 3464). */
export function bounceOf(received: Buffer, recipient: string, at: Date, options: BounceOptions = {}): Buffer {
  const { status = '5.1.1', action = 'failed' } = options;
  const head = readHead(received);
  const boundary = `bounce-${randomUUID()}`;
  const domain = recipient.split('@')[1] ?? 'example.com';
  const id = head.messageId === null ? '' : `<${head.messageId}>`;
  const lines = [
    'Return-Path: <>',
    `From: Mail Delivery Subsystem <mailer-daemon@${domain}>`,
    `To: ${head.from?.email ?? ''}`,
    `Subject: Delivery Status Notification (${action === 'failed' ? 'Failure' : 'Delay'})`,
    `Message-ID: <${randomUUID()}@${domain}>`,
    ...(id === '' ? [] : [`In-Reply-To: ${id}`, `References: ${id}`]),
    `Date: ${at.toUTCString().replace('GMT', '+0000')}`,
    'Auto-Submitted: auto-replied',
    `X-Failed-Recipients: ${recipient}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    `Your message to ${recipient} ${action === 'failed' ? 'could not be delivered' : 'is delayed'}.`,
    '',
    `--${boundary}`,
    'Content-Type: message/delivery-status',
    '',
    `Reporting-MTA: dns; mx.${domain}`,
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${status.startsWith('4') ? 450 : 550} ${status} The account does not take mail`,
    '',
    `--${boundary}`,
    'Content-Type: text/rfc822-headers',
    '',
    headerTextOf(received).replace(/\r?\n/g, '\r\n'),
    '',
    `--${boundary}--`,
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}

function headerTextOf(raw: Buffer): string {
  return raw.toString('utf8', 0, headerEnd(raw));
}

/** The fields of a header with their names as written. Folded lines are joined. */
export function headersOf(raw: Buffer): { name: string; value: string }[] {
  return headerTextOf(raw)
    .split(/\r?\n(?![ \t])/)
    .flatMap((line) => {
      const [, name, value] = /^([!-9;-~]+)[ \t]*:([\s\S]*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [{ name, value: oneLine(value).trim() }];
    });
}

export function readHead(raw: Buffer): MailHead {
  const fields = headersOf(raw);
  const value = (name: string) => fields.find((field) => field.name.toLowerCase() === name)?.value ?? '';
  const all = (name: string) => fields.filter((field) => field.name.toLowerCase() === name).map((field) => field.value);
  const emails = (name: string) =>
    all(name)
      .flatMap(readAddresses)
      .map(({ email }) => email.toLowerCase());
  return {
    messageId: readMessageIds(value('message-id'))[0] ?? null,
    inReplyTo: readMessageIds(value('in-reply-to')),
    references: readMessageIds(value('references')),
    subject: decodeWords(value('subject')),
    from: readAddresses(value('from'))[0] ?? null,
    replyTo: readAddresses(value('reply-to')),
    to: emails('to'),
    cc: emails('cc'),
    bcc: emails('bcc'),
  };
}

/** Replaces a header of a mail, or adds it on top. `null` removes the header. */
export function withHeader(raw: Buffer, name: string, value: string | null): Buffer {
  const end = headerEnd(raw);
  // latin1 keeps every byte, in any charset.
  const lines = raw.toString('latin1', 0, end).split(/\r?\n(?![ \t])/);
  const kept = lines.filter((line) => !line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  if (kept.length === lines.length && value === null) return raw;
  const header = value === null ? kept : [`${name}: ${value}`, ...kept];
  return Buffer.concat([Buffer.from(header.join('\r\n'), 'latin1'), raw.subarray(end)]);
}

/** Where the line breaks that end the header begin. */
function headerEnd(raw: Buffer): number {
  const crlf = raw.indexOf('\r\n\r\n');
  const end = crlf === -1 ? raw.length : crlf;
  // Searches only up to there, since the rest of the mail may be large.
  const lf = raw.subarray(0, end).indexOf('\n\n');
  return lf === -1 ? end : lf;
}
