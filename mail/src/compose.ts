/** Composes the raw bytes of outgoing mail from its fields, with one composer for every provider. */
import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import { asBuffer, cleanText } from './charset.ts';
import { encodedWords, oneLine } from './encoded-words.ts';
import type { MailAddress, ParsedMail } from './mail.ts';
import { ownIdHeader } from './message-ids.ts';
import { stripReplyPrefixes } from './threading.ts';

type OutgoingAttachment = {
  fileName: string;
  contentType: string;
  /** The composer opens a stream only when it reaches that file, so at most one file is open. */
  content: Uint8Array | (() => Promise<Readable>);
  /** Set for an image that the HTML shows by `cid:`. */
  contentId?: string | null;
};

export type MailDraft = {
  from: MailAddress;
  to: MailAddress[];
  cc?: MailAddress[];
  /** The header leaves these out, unless `namesBcc` is set. */
  bcc?: MailAddress[];
  replyTo?: MailAddress[];
  subject: string;
  text: string;
  html?: string | null;
  /** Without brackets; see newMessageId. */
  messageId: string;
  inReplyTo?: string | null;
  /** Oldest first; see replyReferences. */
  references?: string[];
  date: Date;
  attachments?: OutgoingAttachment[];
  /** The service wrote this mail, not a person. Headers then tell robots not to answer (RFC 3834 §5). */
  automatic?: 'auto-generated' | 'auto-replied';
  /** Repeats the Message-ID in our own header, because hosted providers may replace the Message-ID. */
  namesOwnId?: boolean;
  /** The address where a recipient unsubscribes with one click, without signing in (RFC 8058). */
  unsubscribeUrl?: string;
};

/**
 * Composes a mail with CRLF line ends (RFC 5322, 2045–2047, 2231).
 * Encodes the plain text as 7bit or quoted-printable, never base64 or flowed, so that a link keeps its own line.
 * Replaces line breaks and other control characters in subject and names with blanks.
 * @throws when an address or the Message-ID contains characters that could break a header, or `to` and `cc` are empty
 */
export async function composeMail(draft: MailDraft): Promise<Buffer> {
  return await compiled(draft).build();
}

/**
 * Composes a mail as a stream that callers may open once. The stream holds little of the mail in memory. It fails when
 * one of its files fails.
 * @param namesBcc for a provider that reads the recipients from the header and removes Bcc before delivery
 */
export function composeStream(draft: MailDraft, { namesBcc = false } = {}): () => Readable {
  const mail = compiled(draft);
  mail.keepBcc = namesBcc;
  return () => mail.createReadStream();
}

function compiled(draft: MailDraft) {
  const { from, to, cc = [], bcc = [], replyTo = [], references = [], attachments = [], html = null } = draft;
  if (to.length + cc.length === 0) throw new Error('a mail needs a recipient');
  const inReplyTo = draft.inReplyTo == null || !isPlainId(draft.inReplyTo) ? null : `<${draft.inReplyTo}>`;
  const composer = new MailComposer({
    from: headerAddress(from),
    to: to.map(headerAddress),
    cc: cc.map(headerAddress),
    bcc: bcc.map(headerAddress),
    replyTo: replyTo.map(headerAddress),
    messageId: `<${checkedId(draft.messageId)}>`,
    ...(inReplyTo === null ? {} : { inReplyTo }),
    references: references.filter(isPlainId).map((id) => `<${id}>`),
    date: draft.date,
    text: cleanText(draft.text).replace(/\r\n?/g, '\n'),
    ...(html === null ? {} : { html: cleanText(html) }),
    attachments: attachments.map(composerAttachment),
    headers: {
      Subject: subjectHeader(oneLine(draft.subject)),
      ...(draft.automatic === undefined ? {} : automaticHeaders(draft.automatic)),
      ...(draft.namesOwnId === true ? { [ownIdHeader]: `<${checkedId(draft.messageId)}>` } : {}),
      ...(draft.unsubscribeUrl === undefined ? {} : unsubscribeHeaders(draft.unsubscribeUrl)),
    },
    textEncoding: 'quoted-printable',
    newline: 'win',
    // Text in a mail must not make the composer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile();
}

/**
 * Returns a Message-ID without brackets: the letters, digits and dots of `id`, an `@` and the domain.
 * The same arguments give the same Message-ID, so a retry sends the same mail.
 * @param domain our own domain. A domain without a dot (`localhost`) gets `.localdomain`, because some providers
 * replace ids with such a domain.
 */
export function newMessageId(domain: string, id: string): string {
  const host = domain.toLowerCase().replace(/[^a-z0-9.-]/g, '');
  const local = id.replace(/[^A-Za-z0-9.]/g, '');
  return checkedId(`${local}@${host.includes('.') ? host : `${host}.localdomain`}`);
}

/** A reply keeps the last References up to this number, and always the first, which is the thread's root. */
const REFERENCES_KEPT = 10;

/**
 * Returns the References of a reply (RFC 5322 §3.6.4): the parent's References, or its only In-Reply-To, then the
 * parent. Drops ids from the middle of a long list.
 */
export function replyReferences(parent: Pick<ParsedMail, 'messageId' | 'inReplyTo' | 'references'>): string[] {
  const ancestors =
    parent.references.length === 0 && parent.inReplyTo.length === 1 ? parent.inReplyTo : parent.references;
  const own = parent.messageId === null ? [] : [parent.messageId];
  // The parent comes last even if its own References name it.
  const ids = [...new Set([...ancestors.filter((id) => id !== parent.messageId), ...own])];
  return ids.length <= REFERENCES_KEPT + 1 ? ids : [...ids.slice(0, 1), ...ids.slice(-REFERENCES_KEPT)];
}

/** Replaces all reply and forward prefixes with one `Re: `. */
export function replySubject(subject: string): string {
  return `Re: ${stripReplyPrefixes(oneLine(subject))}`.trim();
}

/** Replaces all reply and forward prefixes with one `Fwd: `. */
export function forwardSubject(subject: string): string {
  return `Fwd: ${stripReplyPrefixes(oneLine(subject))}`.trim();
}

function automaticHeaders(kind: NonNullable<MailDraft['automatic']>) {
  return { 'Auto-Submitted': kind, 'X-Auto-Response-Suppress': 'All' };
}

/**
 * Encodes the whole subject if it contains `=?`, because mail programs could decode that as an encoded word (RFC 2047
 * §7).
 */
function subjectHeader(subject: string): string | { prepared: true; foldLines: true; value: string } {
  return subject.includes('=?') ? { prepared: true, foldLines: true, value: encodedWords(subject) } : subject;
}

/**
 * Offers the one-click POST for HTTPS addresses only (RFC 8058 §3.2). Another address only leads to the page where
 * people unsubscribe. Without `prepared`, nodemailer would split the address into encoded words.
 */
function unsubscribeHeaders(url: string) {
  if (!/^https?:\/\/[!-;=?-~]+$/.test(url)) throw new Error('an address that a header cannot hold');
  const oneClick = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  return {
    'List-Unsubscribe': { prepared: true, value: `<${url}>` },
    ...(url.startsWith('https:') ? oneClick : {}),
  };
}

/**
 * Allows blanks in a quoted local part. Refuses commas, semicolons and angle brackets there, because some programs
 * ignore the quotes and would read several addresses.
 */
const ADDRESS = /^(?:[^\s<>,;@\p{Cc}]+|"(?:[^"\\<>,;@\p{Cc}]|\\["\\])+")@[^\s<>,;@\p{Cc}]+$/u;

function headerAddress(address: MailAddress): { name: string; address: string } {
  const { email } = address;
  if (!ADDRESS.test(email)) throw new Error('an address that no mail can be sent to');
  return { name: oneLine(address.name ?? ''), address: email };
}

/** Other programs write odd ids. Ids that could break a header are left out. */
function isPlainId(id: string): boolean {
  return /^[!-;=?-~]{1,900}$/.test(id);
}

function checkedId(id: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.[\]:-]+$/.test(id)) throw new Error('an unusable Message-ID');
  return id;
}

function composerAttachment(attachment: OutgoingAttachment) {
  const { contentId = null, contentType, content } = attachment;
  const isType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(contentType);
  return {
    filename: oneLine(attachment.fileName),
    // An attached mail must not be base64 (RFC 2046 §5.2.1), so it goes as a plain file.
    contentType: isType && !/^(?:message|multipart)\//i.test(contentType) ? contentType : 'application/octet-stream',
    content: typeof content === 'function' ? lateStream(content) : asBuffer(content),
    contentTransferEncoding: 'base64',
    ...(contentId !== null && isPlainId(contentId)
      ? { cid: contentId, contentDisposition: 'inline' }
      : { contentDisposition: 'attachment' }),
  };
}

function lateStream(open: () => Promise<Readable>): Readable {
  const read = async function* () {
    yield* await open();
  };
  return Readable.from(read(), { objectMode: false });
}
