import type { Readable } from 'node:stream';
import type { Blobs } from '../../blobs/blobs.ts';
import type { DeliveredFile, Delivery } from '../../deliveries/claim-delivery.ts';
import type { MailboxSend } from '../../deliveries/mailbox-send.ts';
import { textToHtml } from '../../lib/html/html-text.ts';
import { addressBase, domainOf } from '../../lib/plus-address.ts';
import {
  composeStream,
  forwardSubject,
  type MailDraft,
  newMessageId,
  replyReferences,
  replySubject,
} from '../../mail/compose.ts';
import type { HostedMail } from '../../mail/provider.ts';
import type { OutgoingMail } from '../../mail/transport.ts';
import { htmlWithoutMentions } from '../../notifications/html-mentions.ts';
import { textWithoutMentions } from '../../notifications/mentions.ts';
import type { Config } from '../../settings/config.ts';
import { replyAddressOf } from './reply-address.ts';

type Sender = { config: Pick<Config, 'mailFrom' | 'smtpListen'>; blobs: Blobs; date: Date };

/**
 * An answer as mail: from the agent by name, replies to the address with the message's token, and behind In-Reply-To the
 * conversation as far as the recipients know it. The body goes as it was written, with mentions as plain names.
 * Throws for an address to which no mail can be sent.
 */
export function composeAnswer(sender: Sender, delivery: Delivery): OutgoingMail {
  const { config, blobs } = sender;
  const { mailFrom, smtpListen } = config;
  const { workspaceId, messageId, author } = delivery;
  const replyTo = replyAddressOf(config, delivery.inbound, messageId);
  const raw = composeStream({
    ...draftOf(sender, delivery),
    from: { name: author.name ?? mailFrom.name, email: mailFrom.email },
    replyTo: [addressOf(replyTo)],
    attachments: delivery.files.map((file) => attachmentOf(blobs, workspaceId, file)),
  });
  // Where mail comes in by SMTP, bounces come back with the token too.
  const envelopeFrom = smtpListen === undefined ? mailFrom.email : replyTo;
  return { envelopeFrom, recipients: [...new Set([...delivery.to, ...delivery.cc, ...delivery.bcc])], raw };
}

/**
 * The same through a mailbox: from its address, or the alias to which the customer wrote, with its signature below.
 * @param threadSubject of the thread that it continues: under another one it would begin a thread
 * Throws for an address to which no mail can be sent.
 */
export function composeHosted(
  sender: Sender,
  delivery: Delivery,
  { mailbox, thread }: Pick<MailboxSend, 'mailbox' | 'thread'>,
  threadSubject?: string,
): HostedMail {
  const { blobs } = sender;
  const { workspaceId, rfcMessageId, files } = delivery;
  // What is passed on is no part of the thread: it would show all of it to others.
  const continued = delivery.isForward ? undefined : threadSubject;
  const draft: MailDraft = {
    ...draftOf(sender, delivery, mailbox.signature),
    ...(continued === undefined ? {} : { subject: replySubject(continued) }),
    from: { name: delivery.author.name, email: senderOf(mailbox, delivery) },
    namesOwnId: true,
  };
  const composed = (attached: readonly DeliveredFile[], options = { namesBcc: false }) =>
    composeStream({ ...draft, attachments: attached.map((file) => attachmentOf(blobs, workspaceId, file)) }, options);
  // A fault shows here, before anything is asked of the provider.
  composed([]);
  return {
    rfcMessageId,
    threadId: delivery.isForward ? null : (thread?.id ?? null),
    bcc: delivery.bcc,
    whole: (options) => composed(files, options)(),
    withoutFiles: () => composed([])(),
    files: files.map((file) => ({
      fileName: file.fileName,
      contentType: file.contentType,
      sizeBytes: file.sizeBytes,
      contentId: file.isInline ? file.contentId : null,
      open: () => openFile(blobs, workspaceId, file),
    })),
  };
}

/**
 * Gmail lists the addresses from which a mailbox may send. Exchange lists those at which it receives, and usually lets it send
 * only from the primary one.
 */
function senderOf(
  { provider, address, aliases }: MailboxSend['mailbox'],
  { conversation: { addressedTo } }: Pick<Delivery, 'conversation'>,
): string {
  const bases = addressedTo.map(addressBase);
  if (provider !== 'mail-b' || bases.includes(addressBase(address))) return address;
  return aliases.find((alias) => bases.includes(addressBase(alias))) ?? address;
}

/** What an answer has whichever way it goes. */
function draftOf(
  { config: { mailFrom }, date }: Sender,
  delivery: Delivery,
  signature: string | null = null,
): Omit<MailDraft, 'from'> {
  const { conversation } = delivery;
  const answered = delivery.isForward ? null : conversation.answered;
  return {
    to: delivery.to.map(addressOf),
    cc: delivery.cc.map(addressOf),
    bcc: delivery.bcc.map(addressOf),
    subject: subjectOf(delivery),
    ...bodiesOf(delivery, signature),
    messageId: delivery.rfcMessageId,
    inReplyTo: answered,
    references: replyReferences({
      messageId: answered,
      inReplyTo: [],
      references: [rootIdOf(delivery.ticketId, mailFrom), ...conversation.ids],
    }),
    date,
  };
}

function subjectOf({ isForward, isReply, subject }: Delivery): string {
  if (isForward) return forwardSubject(subject);
  return isReply ? replySubject(subject) : subject;
}

/** The writer's own words, the signature, and what is quoted. */
function bodiesOf(
  { body, bodyHtml, ownChars }: Delivery,
  signature: string | null,
): { text: string; html: string | null } {
  const [text, quotedText] = splitAt(body, ownChars.text).map(textWithoutMentions);
  const block = signature === null || signature.trim() === '' ? null : signatureBlock(signature);
  const [html, quotedHtml] = splitAt(bodyHtml ?? '', ownChars.html).map(outgoingHtml);
  return {
    text: block === null ? `${text}${quotedText}` : `${text?.trimEnd()}\n\n${block}\n${quotedText}`,
    html: bodyHtml === null ? null : `${html}${block === null ? '' : `<br>${textToHtml(block)}`}${quotedHtml}`,
  };
}

function splitAt(whole: string, chars: number | null): string[] {
  return chars === null ? [whole, ''] : [whole.slice(0, chars), whole.slice(chars)];
}

/** Behind the separator by which mail programs know a signature (RFC 3676 §4.3). */
function signatureBlock(signature: string): string {
  return `-- \n${signature.trim().replace(/\r\n?/g, '\n')}`;
}

/** As its recipients may see it: mentions as names, and remote pictures where their address was. */
function outgoingHtml(html: string): string {
  return htmlWithoutMentions(html).replace(/<img [^>]*>/g, (tag) => tag.replace(' data-src="', ' src="'));
}

/** Read as a header's list, an address with a comma, semicolon or comment in it would be somebody else's, or nobody's. */
function addressOf(email: string) {
  return { name: null, email };
}

/**
 * An id that no mail has and every answer of the ticket names as the root of its thread: replies copy it, also where a
 * provider put an id of its own in the place of ours.
 */
export function rootIdOf(ticketId: string, mailFrom: Config['mailFrom']): string {
  return newMessageId(domainOf(mailFrom.email), `ticket.${ticketId}`);
}

export function isRootId(rfcMessageId: string): boolean {
  return /^ticket\.[\da-f]{32}@/.test(rfcMessageId);
}

function attachmentOf(blobs: Blobs, workspaceId: string, file: DeliveredFile) {
  const { fileName, contentType, contentId, isInline } = file;
  const content = () => openFile(blobs, workspaceId, file);
  return { fileName, contentType, content, contentId: isInline ? contentId : null };
}

async function openFile(
  blobs: Blobs,
  workspaceId: string,
  { sha256, fileName }: Pick<DeliveredFile, 'sha256' | 'fileName'>,
): Promise<Readable> {
  const bytes = await blobs.open(workspaceId, sha256);
  if (bytes === undefined) throw new Error(`the file ${fileName} is missing in the store`);
  return bytes;
}
