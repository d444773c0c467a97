/** The type of a parsed mail, however the mail arrived. */

export type MailAddress = {
  /** The display name, decoded (RFC 2047) and trimmed. Null when the header has none. */
  name: string | null;
  /** The addr-spec as written, trimmed, with its upper and lower case. */
  email: string;
};

export type MailAttachment = {
  /**
   * The last path segment of the name, without control and bidirectional characters. Null when the part has no name.
   */
  fileName: string | null;
  /** Lower case, without parameters. */
  contentType: string;
  /** The Content-ID without brackets. */
  contentId: string | null;
  /** The Content-Location, by which HTML may name the part instead. */
  location: string | null;
  content: Uint8Array;
};

export type ParsedMail = {
  /** Without brackets (RFC 5322 §3.6.4). Null when missing or unusable. */
  messageId: string | null;
  inReplyTo: string[];
  /** In header order, oldest first. */
  references: string[];
  from: MailAddress | null;
  sender: MailAddress | null;
  replyTo: MailAddress[];
  to: MailAddress[];
  cc: MailAddress[];
  /** Addresses of Delivered-To, X-Original-To, Envelope-To, X-RCPT-To, and of `for` in Received of the last server. */
  deliveredTo: string[];
  /** Decoded, in one line, trimmed. Empty when the mail has no subject. */
  subject: string;
  /** The Date header. Null when missing or invalid. */
  date: Date | null;
  /** The date of the newest Received header. Null when no such date is readable. */
  receivedAt: Date | null;
  /** Plain text with LF line ends: the text parts, or the converted HTML. */
  text: string;
  /** True when some of `text` was converted from HTML, because the mail had no plain text for it. */
  isTextFromHtml?: boolean;
  /** The HTML as sent, not sanitised, with `cid:` references. Null when the mail has no HTML. */
  html: string | null;
  attachments: MailAttachment[];
  /** All header fields in order. Names in lower case, values unfolded but not decoded. */
  headers: readonly MailHeader[];
  /** The parts that were too long. Only their beginning was read. */
  truncated: TruncatedPart[];
  /** The problems that the parser repaired or ignored, for the log. Fixed phrases that contain nothing of the mail. */
  defects: string[];
};

type TruncatedPart = 'header' | 'text' | 'html';

export type MailHeader = { name: string; value: string };

/** Returns the first value of a header, or null. */
export function headerOf(mail: Pick<ParsedMail, 'headers'>, name: string): string | null {
  return mail.headers.find((header) => header.name === name)?.value ?? null;
}
