/** Mail that we send: from fields to raw bytes, one composer for every provider. */
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
  /** What is streamed is opened when its turn comes, so that of many files one is open. */
  content: Uint8Array | (() => Promise<Readable>);
  /** Given for an image that the HTML shows by `cid:`. */
  contentId?: string | null;
};

export type MailDraft = {
  from: MailAddress;
  to: MailAddress[];
  cc?: MailAddress[];
  /** Not in the header, unless `namesBcc` is set. */
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
  /** Written by the service itself, not by a person: marked so that no robot answers (RFC 3834 §5). */
  automatic?: boolean;
  /** Names the Message-ID in a header of our own too: hosted providers may put another in its place. */
  namesOwnId?: boolean;
  /** Where the recipient ends such mails, by one click without signing in (RFC 8058). */
  unsubscribeUrl?: string;
};

/**
 * Composes a mail with CRLF line ends (RFC 5322, 2045–2047, 2231).
 * The plain text is 7bit or quoted-printable, never base64 nor flowed, so that a link alone on its line stays so.
 * Line breaks and other control characters in subject and names become blanks; those in HTML and text stay text.
 * @throws when an address or the Message-ID has characters that could break a header, or `to` and `cc` are empty
 */
export async function composeMail(draft: MailDraft): Promise<Buffer> {
  return await compiled(draft).build();
}

/**
 * The same as a stream, which may be opened once and holds little of the mail in memory. It fails when one of its files does.
 * @param namesBcc for a provider that reads the recipients from the header, and removes Bcc before it delivers the mail
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
      ...(draft.automatic === true ? AUTOMATIC_HEADERS : {}),
      ...(draft.namesOwnId === true ? { [ownIdHeader]: `<${checkedId(draft.messageId)}>` } : {}),
      ...(draft.unsubscribeUrl === undefined ? {} : unsubscribeHeaders(draft.unsubscribeUrl)),
    },
    textEncoding: 'quoted-printable',
    newline: 'win',
    // Nothing of a mail may be read from a path or a URL that some text happens to name.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile();
}

/**
 * A Message-ID without brackets: the id's letters, digits and dots, an `@` and the domain.
 * The same arguments give the same id, so a second attempt at sending names the same mail.
 * @param domain ours; one without a dot (`localhost`) gets `.localdomain`, as some providers replace ids without one
 */
export function newMessageId(domain: string, id: string): string {
  const host = domain.toLowerCase().replace(/[^a-z0-9.-]/g, '');
  const local = id.replace(/[^A-Za-z0-9.]/g, '');
  return checkedId(`${local}@${host.includes('.') ? host : `${host}.localdomain`}`);
}

/** How many References a reply keeps at the end; the first, the thread's root, always stays. */
const REFERENCES_KEPT = 10;

/**
 * References of a reply (RFC 5322 §3.6.4): the parent's, or its only In-Reply-To, then the parent itself; cut from the
 * middle where they are many.
 */
export function replyReferences(parent: Pick<ParsedMail, 'messageId' | 'inReplyTo' | 'references'>): string[] {
  const ancestors =
    parent.references.length === 0 && parent.inReplyTo.length === 1 ? parent.inReplyTo : parent.references;
  const own = parent.messageId === null ? [] : [parent.messageId];
  // The parent comes last even where its own References name it.
  const ids = [...new Set([...ancestors.filter((id) => id !== parent.messageId), ...own])];
  return ids.length <= REFERENCES_KEPT + 1 ? ids : [...ids.slice(0, 1), ...ids.slice(-REFERENCES_KEPT)];
}

/** `Re: ` and the subject without the prefixes that it has gathered. */
export function replySubject(subject: string): string {
  return `Re: ${stripReplyPrefixes(oneLine(subject))}`.trim();
}

/** `Fwd: ` and the subject without such prefixes. */
export function forwardSubject(subject: string): string {
  return `Fwd: ${stripReplyPrefixes(oneLine(subject))}`.trim();
}

const AUTOMATIC_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** Encodes a whole subject that contains something like an encoded word, which mail programs would decode (RFC 2047 §7). */
function subjectHeader(subject: string): string | { prepared: true; foldLines: true; value: string } {
  return subject.includes('=?') ? { prepared: true, foldLines: true, value: encodedWords(subject) } : subject;
}

/** A POST is promised of HTTPS alone (RFC 8058 §3.2): of others there is the page. Prepared, or it would be cut into encoded words. */
function unsubscribeHeaders(url: string) {
  if (!/^https?:\/\/[!-;=?-~]+$/.test(url)) throw new Error('an address that a header cannot hold');
  const oneClick = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  return {
    'List-Unsubscribe': { prepared: true, value: `<${url}>` },
    ...(url.startsWith('https:') ? oneClick : {}),
  };
}

/** A quoted local part may have blanks. Other signs of address lists are refused in it, because some programs do not see the quotes. */
const ADDRESS = /^(?:[^\s<>,;@\p{Cc}]+|"(?:[^"\\<>,;@\p{Cc}]|\\["\\])+")@[^\s<>,;@\p{Cc}]+$/u;

function headerAddress(address: MailAddress): { name: string; address: string } {
  const { email } = address;
  if (!ADDRESS.test(email)) throw new Error('an address that no mail can be sent to');
  return { name: oneLine(address.name ?? ''), address: email };
}

/** Ids of others may be odd; one that could break the header is left out of ours. */
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
    // A forwarded mail may not be encoded, and so would have to be 7bit by itself (RFC 2046 §5.2.1): it goes as a file.
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
