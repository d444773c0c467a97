import { invalidRequest } from '../lib/errors.ts';
import { escapeHtml, htmlToText, textToHtml } from '../lib/html/html-text.ts';
import { HTML_CHARS_MAX, sanitizeHtml } from '../lib/html/sanitize.ts';
import { type Mentions, mentionsIn } from '../notifications/mentions.ts';
import { messageCharsMax } from './schema.ts';

/** The input of a member: plain text, HTML, or both. */
export type Writing = { body?: string; bodyHtml?: string };

/** The form in which a written text is stored. */
export type WrittenText = { body: string; bodyHtml: string | null; mentions: Mentions };

const nobody: Mentions = { mentioned: [], passedOver: [] };

/**
 * Text alone gets no HTML. HTML alone gets a derived text.
 * Throws 400 if the text is empty.
 * @param mayBeEmpty true if the message has other content
 * @param isMembers false for text entered on behalf of a customer, which mentions nobody
 */
export function writtenText(
  { body, bodyHtml: html }: Writing,
  { mayBeEmpty = false, isMembers = true } = {},
): WrittenText {
  const bodyHtml = html === undefined ? null : sanitizeHtml(html, { keepsMentions: isMembers }).trim() || null;
  const text =
    body ??
    htmlToText(bodyHtml ?? '')
      .slice(0, messageCharsMax)
      .toWellFormed();
  const isEmpty = text === '' && !bodyHtml?.includes('<img ');
  if (isEmpty && !mayBeEmpty) throw invalidRequest({ path: 'body.body', key: 'no_text' });
  return { body: text, bodyHtml: isEmpty ? null : bodyHtml, mentions: isMembers ? mentionsIn(text, bodyHtml) : nobody };
}

/** The text below the author's own words. */
export type Quote = {
  text: string;
  html: string;
  /** Whether the HTML shows more than the text. */
  isRich: boolean;
};

/** Appends a quote to a message. Stores where the quote begins, so that clients can fold it. */
export function withQuote(
  { body, bodyHtml }: Pick<WrittenText, 'body' | 'bodyHtml'>,
  quote: Quote,
): { body: string; bodyHtml: string | null; replyText: string | null; quotedHtmlRanges: number[] | null } {
  const texts = { body: body === '' ? quote.text : `${body}\n\n${quote.text}`, replyText: body === '' ? null : body };
  const own = bodyHtml ?? (body === '' ? '' : clean(textToHtml(body)));
  const before = own === '' ? '' : `${own}<br />`;
  const room = HTML_CHARS_MAX - before.length;
  const fitting = [quote.html, textToHtml(quote.text)].map(clean).find(({ length }) => length <= room);
  if ((bodyHtml === null && !quote.isRich) || fitting === undefined)
    return { ...texts, bodyHtml, quotedHtmlRanges: null };
  const whole = before + fitting;
  return { ...texts, bodyHtml: whole, quotedHtmlRanges: before === '' ? null : [before.length, whole.length] };
}

/** Normalises to the form in which HTML is stored, with self-closing tags. */
function clean(html: string): string {
  return sanitizeHtml(html, { keepsMentions: true });
}

/** One message inside a quote. */
export type QuotedMessage = {
  direction: 'inbound' | 'outbound';
  /** For agents the email is an account's address, which customers must not see. */
  author: { name: string | null; email: string | null };
  to: readonly string[];
  cc: readonly string[];
  /** Uses LF line ends. */
  text: string;
  html: string | null;
  createdAt: Date;
};

/** Quotes messages as mail programs do: each below a line that names its author and date. */
export function quoteOf(messages: readonly QuotedMessage[], ownEmail: string): Quote {
  const parts = messages.map((message) => {
    const said = `On ${whenOf(message)}, ${nameOf(message, ownEmail)} wrote:`;
    const lines = message.text.trim().split('\n');
    return {
      text: [said, ...lines.map((line) => (line === '' ? '>' : line.startsWith('>') ? `>${line}` : `> ${line}`))].join(
        '\n',
      ),
      html: `<div class="gmail_quote">${attributionOf(said)}${cited(htmlOf(message))}</div>`,
    };
  });
  return {
    text: parts.map(({ text }) => text).join('\n\n'),
    html: parts.map(({ html }) => html).join('<br>'),
    isRich: false,
  };
}

/** Quotes a forwarded message in full below its headers. */
export function forwardOf(message: QuotedMessage, subject: string, ownEmail: string): Quote {
  const { to, cc } = message;
  const head = [
    '---------- Forwarded message ---------',
    `From: ${nameOf(message, ownEmail)}`,
    `Date: ${whenOf(message)}`,
    `Subject: ${subject}`,
    ...(to.length === 0 ? [] : [`To: ${to.join(', ')}`]),
    ...(cc.length === 0 ? [] : [`Cc: ${cc.join(', ')}`]),
  ];
  const shown = head.map(escapeHtml).join('<br>');
  return {
    text: [...head, '', message.text.trim()].join('\n'),
    html: `<div class="gmail_quote"><div class="gmail_attr">${shown}<br></div><br>${htmlOf(message)}</div>`,
    isRich: message.html !== null,
  };
}

function attributionOf(said: string): string {
  return `<div class="gmail_attr">${escapeHtml(said)}<br></div>`;
}

function cited(html: string): string {
  const style = 'margin:0 0 0 8px;border-left:1px solid #cccccc;padding-left:8px';
  return `<blockquote type="cite" style="${style}">${html}</blockquote>`;
}

function htmlOf({ html, text }: QuotedMessage): string {
  return html ?? textToHtml(text.trim());
}

function nameOf({ direction, author: { name, email } }: QuotedMessage, ownEmail: string): string {
  const address = direction === 'outbound' ? ownEmail : (email ?? '');
  if (name === null || name === '') return address;
  return address === '' ? name : `${name} <${address}>`;
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

function whenOf({ createdAt }: QuotedMessage): string {
  return `${dayFormat.format(createdAt)} UTC`;
}
