import type { MailAddress, MailAttachment, ParsedMail } from '@kontor/mail/mail.ts';
import { quotedRanges } from '@kontor/mail/quoting/html-quoting.ts';
import { trimReply } from '@kontor/mail/quoting/quoting.ts';
import { inlinePictures, nameablePictures } from '../../ground/lib/html/inline-pictures.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import { firstCodePoints } from '../../ground/lib/text.ts';
import type { NewAttachment } from '../../helpdesk/files/attach.ts';

/** What a message shows of a mail, and of a mail inside a mail. */
export type MailTexts = {
  body: string;
  bodyHtml: string | null;
  replyText: string | null;
  /** Offsets into `bodyHtml`. */
  quotedHtmlRanges: number[] | null;
};

export type FileToKeep = Omit<NewAttachment, 'sha256'> & { content: Uint8Array };

const bodyCodePointsMax = 1_000_000;
const nameCodePointsMax = 200;
/** Longer addresses are invalid (RFC 5321 §4.5.3.1) and do not fit into an index. */
export const addressCharsMax = 320;

/** The texts of a mail, and its files. */
export function shownOf({
  text,
  html,
  attachments,
}: Pick<ParsedMail, 'text' | 'html' | 'attachments'>): MailTexts & { files: FileToKeep[] } {
  const { files, contentIds } = nameablePictures(attachments);
  const bodyHtml = html === null ? null : sanitizeHtml(html, { contentIds });
  const inline = inlinePictures(files, bodyHtml);
  return {
    ...textsOf(text, bodyHtml),
    files: files.map((file, index) => fileOf(file, index, inline.has(file))),
  };
}

/** @param bodyHtml as `sanitizeHtml` returns it */
export function textsOf(text: string, bodyHtml: string | null): MailTexts {
  const body = firstCodePoints(text, bodyCodePointsMax);
  const { reply, quoted } = trimReply(body);
  return {
    body,
    bodyHtml,
    replyText: quoted === null ? null : reply,
    quotedHtmlRanges: bodyHtml === null ? null : quotedRanges(bodyHtml),
  };
}

/** Null for an address that is too long. */
export function usableAddress(address: MailAddress | null): MailAddress | null {
  if (address === null || address.email.length > addressCharsMax) return null;
  return { email: address.email, name: firstCodePoints(address.name ?? '', nameCodePointsMax).trim() || null };
}

function fileOf(attachment: MailAttachment, index: number, isInline: boolean): FileToKeep {
  const { contentType, contentId, content } = attachment;
  const fileName = attachment.fileName ?? `attachment-${index + 1}${endings[contentType] ?? ''}`;
  return { fileName, contentType, sizeBytes: content.length, contentId, isInline, content };
}

/** File name endings for parts without a name, so that people's programs can open them. */
const endings: Record<string, string> = {
  'message/rfc822': '.eml',
  'message/global': '.eml',
  'message/delivery-status': '.txt',
  'text/rfc822-headers': '.txt',
  'text/plain': '.txt',
  'text/html': '.html',
  'text/calendar': '.ics',
  'application/ics': '.ics',
  'text/vcard': '.vcf',
  'text/x-vcard': '.vcf',
  'text/x-patch': '.patch',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'application/pdf': '.pdf',
  'application/ms-tnef': '.dat',
  'application/pgp-signature': '.asc',
};
