/** Recognises copies of the same mail that arrived by different paths. */
import { createHash } from 'node:crypto';
import { asBuffer } from './charset.ts';
import { settled } from './line-ends.ts';
import { headerOf, type MailAttachment, type ParsedMail } from './mail.ts';

/**
 * Increase this version when the rule below or its decoders change. Stored fingerprints of another version never match.
 * `renew-fingerprints.ts` computes them again.
 */
export const fingerprintVersion = 3;

/**
 * Returns the fingerprint that recognises copies of a mail. It covers Message-ID, From, Date, Subject and body.
 * Without a Message-ID, or with a truncated body, it covers the raw bytes instead.
 * It ignores what relays and mail stores change: line ends, transfer encodings, trailing blanks, `>From ` quoting,
 * names in From and the rest of the header. It does not ignore words: ingest keeps and flags a copy with a mailing
 * list's footer.
 * @param raw the bytes of `mail`
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

/** The first line of a rebuilt mail. */
export const rebuiltLine = 'X-Kontor-Rebuilt: yes\r\n';

/**
 * Whether we rebuilt this mail from a mailbox. A sender cannot forge this line, because the delivering servers write
 * their fields above the sender's header.
 */
export function isRebuilt(raw: Uint8Array): boolean {
  return asBuffer(raw.subarray(0, rebuiltLine.length)).toString('latin1') === rebuiltLine;
}

/**
 * Returns the fingerprint that a rebuilt mail shares with its original. It leaves out the body, which differs, and the
 * Date, which may differ.
 * @returns null without a Message-ID
 */
export function rebuiltFingerprint(mail: ParsedMail): string | null {
  if (mail.messageId === null) return null;
  const parts = ['rebuilt', mail.messageId, mail.from?.email.toLowerCase() ?? ''];
  return sha256(JSON.stringify(parts));
}

/** Longer files must be equal byte by byte, because normalising would take several times their memory. */
const TEXT_FILE_BYTES_MAX = 4_194_304;

/**
 * Ignores text that was converted from HTML, because such text changes with the converter. Then only the HTML counts.
 */
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
