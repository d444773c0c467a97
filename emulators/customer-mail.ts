/** Mail that a customer writes, answers or bounces. */
import { randomUUID } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { headerEnd, type MailHead, readAddresses, readHead } from './read-mail.ts';

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

/** How an outside address reacts to all its mail. */
export type Habit = 'bounces' | 'is-absent';

const someCustomer = 'Cora Customer <cora@example.com>';

/** @param usual recipient and date for a mail that names none */
export async function writeMail(fields: MailFields, usual: { to: string; date: Date }): Promise<Buffer> {
  const { cc = [], replyTo = [], headers = {}, attachments = [], from = someCustomer } = fields;
  const mail = await new MailComposer({
    from: people([from]),
    to: people(fields.to ?? [usual.to]),
    cc: people(cc),
    replyTo: people(replyTo),
    messageId: `<${fields.messageId ?? `${randomUUID()}@mail.example.com`}>`,
    ...(fields.inReplyTo !== undefined && { inReplyTo: `<${fields.inReplyTo}>` }),
    references: (fields.references ?? []).map((id) => `<${id}>`),
    date: fields.date === undefined ? usual.date : new Date(fields.date),
    subject: fields.subject ?? 'A question',
    text: fields.text ?? 'Good day, I have a question.',
    ...(fields.html !== undefined && { html: fields.html }),
    attachments: attachments.map(({ content, fileName, contentType, contentId }) => ({
      filename: fileName,
      contentType,
      content: typeof content === 'string' ? Buffer.from(content, 'base64') : content,
      ...(contentId === undefined ? { contentDisposition: 'attachment' } : { cid: contentId }),
    })),
    newline: 'win',
    // Text in a mail must not make the composer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
  const onTop = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(onTop.join('')), mail]);
}

function people(addresses: readonly string[]): { name: string; address: string }[] {
  return addresses.flatMap(readAddresses).map(({ name, email }) => ({ name: name ?? '', address: email }));
}

/** The References of an answer (RFC 5322 §3.6.4). */
export function answerReferences({ messageId, inReplyTo, references }: MailHead): string[] {
  const ancestors = references.length > 0 ? references : inReplyTo;
  return [...ancestors, ...(messageId === null ? [] : [messageId])];
}

/** The subject of an answer, without repeated prefixes. */
function answerSubject(subject: string): string {
  return `Re: ${bareSubject(subject)}`;
}

export function bareSubject(subject: string): string {
  return subject.replace(/^(?:\s*(?:re|aw|fwd?|wg)\s*:)+/i, '').trim();
}

/** A customer's answer to a mail, threaded as mail programs thread it. */
export function answerTo(received: Buffer, from: string, fields: MailFields = {}): MailFields {
  const head = readHead(received);
  const sender = head.replyTo[0] ?? head.from;
  return {
    from,
    to: sender === null ? [] : [sender.email],
    subject: answerSubject(head.subject),
    ...(head.messageId === null ? {} : { inReplyTo: head.messageId }),
    references: answerReferences(head),
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
    received.toString('utf8', 0, headerEnd(received)).replace(/\r?\n/g, '\r\n'),
    '',
    `--${boundary}--`,
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
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

/** How a provider notes that the domain in From sent a mail (RFC 8601). */
const passed = {
  exchange: (domain: string) =>
    `spf=pass smtp.mailfrom=${domain}; dmarc=pass action=none header.from=${domain};compauth=pass reason=100`,
  gmail: (domain: string) => `mx.google.com; spf=pass smtp.mailfrom=${domain}; dmarc=pass header.from=${domain}`,
};

/** A mail as the provider that received it keeps it: with its verdict that From is true. */
export function asProven(raw: Buffer, by: keyof typeof passed): Buffer {
  const domain = readHead(raw).from?.email.split('@')[1] ?? '';
  return withHeader(raw, 'Authentication-Results', passed[by](domain));
}
