/** When two raw mails are the same mail, come by whatever path. */
import { createHash } from 'node:crypto';
import { asBuffer } from './charset.ts';
import { settled } from './line-ends.ts';
import { headerOf, type MailAttachment, type ParsedMail } from './mail.ts';

/**
 * Counts up when the rule below changes, or the decoders that it rests on: stored fingerprints of another version never match,
 * and are reckoned anew (`renew-fingerprints.ts`).
 */
export const fingerprintVersion = 2;

/**
 * The fingerprint by which a mail is taken once: equal when Message-ID, From, Date, Subject and body agree; without a Message-ID,
 * or where some of the body was not read, when the raw bytes are equal.
 * Relays and mail stores change line ends, transfer encodings, trailing blanks, `>From ` quoting, names in From and the
 * rest of the header: none of it counts. Words do: a copy with a list's footer is another content, which ingest keeps
 * and flags.
 * @param raw the bytes that `mail` was parsed from
 * @returns 64 lower-case hexadecimal digits (SHA-256)
 */
export function mailFingerprint(mail: ParsedMail, raw: Uint8Array): string {
  const hash = createHash('sha256');
  if (mail.messageId === null || mail.truncated.includes('text') || mail.truncated.includes('html'))
    return hash.update('1 raw\n').update(raw).digest('hex');
  const date = mail.date?.toISOString() ?? headerOf(mail, 'date') ?? '';
  const from = mail.from?.email.toLowerCase() ?? headerOf(mail, 'from') ?? '';
  const subject = mail.subject.normalize('NFC');
  const parts = [`${fingerprintVersion}`, 'mail', mail.messageId, from, date, subject, bodyHash(mail)];
  return hash.update(JSON.stringify(parts)).digest('hex');
}

/** The first line of a mail that was put together from what a provider tells of it. */
export const rebuiltLine = 'X-Kontor-Rebuilt: yes\r\n';

/**
 * Whether the bytes of a mailbox are a mail that we rebuilt. A stranger cannot forge it: the lines of the servers that
 * delivered a mail stand above its own header.
 */
export function isRebuilt(raw: Uint8Array): boolean {
  return asBuffer(raw.subarray(0, rebuiltLine.length)).toString('latin1') === rebuiltLine;
}

/**
 * The fingerprint of a mail that was rebuilt, under which its original is known too: a rebuilt mail has neither the original's
 * body nor, always, its Date. @returns null without a Message-ID
 */
export function rebuiltFingerprint(mail: ParsedMail): string | null {
  if (mail.messageId === null) return null;
  const parts = ['rebuilt', mail.messageId, mail.from?.email.toLowerCase() ?? ''];
  return sha256(JSON.stringify(parts));
}

/** Longer files are compared byte by byte: rewriting them would take several times their memory. */
const TEXT_FILE_BYTES_MAX = 4_194_304;

/** Text that was made from the HTML depends on the converter, so there the HTML alone speaks. */
function bodyHash(mail: ParsedMail): string {
  const text = mail.isTextFromHtml === true ? null : settled(mail.text);
  const html = mail.html === null ? null : settled(mail.html);
  return sha256(JSON.stringify([text, html, mail.attachments.map(attachmentHash)]));
}

function attachmentHash(attachment: MailAttachment): string {
  const { content, contentType } = attachment;
  const isShort = content.length <= TEXT_FILE_BYTES_MAX;
  const isText = isShort && (contentType.startsWith('text/') || contentType.startsWith('message/'));
  return `${contentType} ${sha256(isText ? settled(asBuffer(content).toString('latin1')) : content)}`;
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
