/** The words that the mail room speaks in: one parsed mail, whatever it came by. */

export type MailAddress = {
  /** Display name, RFC 2047 decoded and trimmed; null when the header gives none. */
  name: string | null;
  /** addr-spec as written, trimmed, not case-folded. */
  email: string;
};

export type MailAttachment = {
  /** Last path segment of the name given, control and bidirectional characters removed; null when the part names none. */
  fileName: string | null;
  /** Lower case, without parameters. */
  contentType: string;
  /** Content-ID without its brackets. */
  contentId: string | null;
  /** True only when the HTML refers to the part by `cid:`. */
  isInline: boolean;
  content: Uint8Array;
};

export type ParsedMail = {
  /** RFC 5322 §3.6.4, brackets stripped; null when missing or unusable. */
  messageId: string | null;
  inReplyTo: string[];
  /** In header order, oldest first. */
  references: string[];
  from: MailAddress | null;
  sender: MailAddress | null;
  replyTo: MailAddress[];
  to: MailAddress[];
  cc: MailAddress[];
  /** Addresses of Delivered-To, X-Original-To and Envelope-To. */
  deliveredTo: string[];
  /** Decoded, one line, trimmed; empty when there is none. */
  subject: string;
  /** The Date header; null when missing or not a date. */
  date: Date | null;
  /** Newest Received header's date; null when none is readable. */
  receivedAt: Date | null;
  /** Plain text with LF line ends: the text parts, else the HTML converted. */
  text: string;
  /** True when some of `text` was made from the HTML for want of plain text. */
  isTextFromHtml?: boolean;
  /** HTML as sent (not sanitised), `cid:` references kept; null when there is none. */
  html: string | null;
  attachments: MailAttachment[];
  /** Every header field, name in lower case, in the order of the mail; values unfolded, not decoded. */
  headers: readonly MailHeader[];
  /** The parts that were too long and of which only the beginning was read. */
  truncated: TruncatedPart[];
  /** What was wrong and mended or passed over, one fixed phrase each, for the log: nothing of the mail is in them. */
  defects: string[];
};

type TruncatedPart = 'header' | 'text' | 'html';

export type MailHeader = { name: string; value: string };

/** First value of a header, or null. */
export function headerOf(mail: Pick<ParsedMail, 'headers'>, name: string): string | null {
  return mail.headers.find((header) => header.name === name)?.value ?? null;
}
