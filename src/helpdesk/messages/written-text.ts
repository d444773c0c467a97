import { escapeText } from '@kontor/mail/html/html-text.ts';
import { htmlWithoutMentions } from '../../events/notifications/html-mentions.ts';
import { type Mentions, mentionsIn } from '../../events/notifications/mentions.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { textOfHtml } from '../../ground/lib/html/ready-html.ts';
import { HTML_CHARS_MAX, joinSafe, SafeHtml, safeHtmlOf, safePieceOf } from '../../ground/lib/html/safe-html.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import { messageCharsMax } from '../../ground/lib/message-length.ts';

/** The input of a member: plain text, HTML, or both. */
export type Writing = { body?: string; bodyHtml?: string | SafeHtml };

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
  const bodyHtml = html === undefined ? null : safeOf(html, isMembers).trim() || null;
  const text =
    body ??
    textOfHtml(bodyHtml ?? '')
      .slice(0, messageCharsMax)
      .toWellFormed();
  const isEmpty = text === '' && !bodyHtml?.includes('<img ');
  if (isEmpty && !mayBeEmpty) throw invalidRequest({ path: 'body.body', key: 'no_text' });
  return { body: text, bodyHtml: isEmpty ? null : bodyHtml, mentions: isMembers ? mentionsIn(text, bodyHtml) : nobody };
}

function safeOf(html: string | SafeHtml, isMembers: boolean): string {
  if (!(html instanceof SafeHtml)) return sanitizeHtml(html, { keepsMentions: isMembers });
  return isMembers ? html.html : htmlWithoutMentions(html.html);
}

/** The text below the author's own words. */
export type Quote = {
  text: string;
  /** Safe pieces, as `joinSafe` takes them: stored HTML was made safe when it was stored. */
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
  if (bodyHtml === null && !quote.isRich) return { ...texts, bodyHtml, quotedHtmlRanges: null };
  const own = bodyHtml ?? (body === '' ? '' : safeHtmlOf(body));
  const before = own === '' ? '' : `${own}<br />`;
  const below = htmlWithin(HTML_CHARS_MAX - before.length, quote);
  if (below === undefined) return { ...texts, bodyHtml, quotedHtmlRanges: null };
  const whole = before + below;
  return { ...texts, bodyHtml: whole, quotedHtmlRanges: before === '' ? null : [before.length, whole.length] };
}

/** The quote as HTML, else as plain text, if either fits. */
function htmlWithin(charsMax: number, { html, text }: Quote): string | undefined {
  const rich = joinSafe(html);
  if (rich.length <= charsMax) return rich;
  const plain = safeHtmlOf(text);
  return plain.length <= charsMax ? plain : undefined;
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
    html: parts.map(({ html }) => html).join('<br />'),
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
  const shown = head.map(escapeText).join('<br />');
  return {
    text: [...head, '', message.text.trim()].join('\n'),
    html: `<div class="gmail_quote"><div class="gmail_attr">${shown}<br /></div><br />${htmlOf(message)}</div>`,
    isRich: message.html !== null,
  };
}

function attributionOf(said: string): string {
  return `<div class="gmail_attr">${escapeText(said)}<br /></div>`;
}

function cited(html: string): string {
  const style = 'margin:0 0 0 8px;border-left:1px solid #cccccc;padding-left:8px';
  return `<blockquote type="cite" style="${style}">${html}</blockquote>`;
}

function htmlOf({ html, text }: QuotedMessage): string {
  return html ?? safePieceOf(text.trim());
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
