import type { Readable } from 'node:stream';
import { addressBase, domainOf } from '../lib/plus-address.ts';
import { textToHtml } from '../mail/body-text.ts';
import { composeStream, type MailDraft, newMessageId, replyReferences, replySubject } from '../mail/compose.ts';
import type { HostedMail } from '../mail/provider.ts';
import type { OutgoingMail } from '../mail/transport.ts';
import { htmlWithoutMentions } from '../notifications/html-mentions.ts';
import { textWithoutMentions } from '../notifications/mentions.ts';
import type { Blobs } from '../platform/blobs.ts';
import type { Config } from '../platform/config.ts';
import type { DeliveredFile, Delivery } from '../tickets/claim-delivery.ts';
import type { MailboxSend } from '../tickets/mailbox-send.ts';
import { replyAddressOf } from './reply-address.ts';

type Sender = { config: Pick<Config, 'mailFrom' | 'smtpListen'>; blobs: Blobs; date: Date };

/**
 * An answer as mail: from the agent by name, replies to the address with the message's token, and behind In-Reply-To the
 * conversation as far as the recipients know it. The body goes as it was written, mentions as names: what it answers is in the recipients' own
 * mailboxes and is not quoted.
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
  const draft = signed(
    {
      ...draftOf(sender, delivery),
      ...(threadSubject === undefined ? {} : { subject: replySubject(threadSubject) }),
      from: { name: delivery.author.name, email: senderOf(mailbox, delivery) },
      namesOwnId: true,
    },
    mailbox.signature,
  );
  const composed = (attached: readonly DeliveredFile[], options = { namesBcc: false }) =>
    composeStream({ ...draft, attachments: attached.map((file) => attachmentOf(blobs, workspaceId, file)) }, options);
  // A fault shows here, before anything is asked of the provider.
  composed([]);
  return {
    rfcMessageId,
    threadId: thread?.id ?? null,
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
 * Gmail lists the addresses as which a mailbox may send. Exchange lists those at which it receives, and as a rule lets it send
 * as none but the primary one.
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
function draftOf({ config: { mailFrom }, date }: Sender, delivery: Delivery): Omit<MailDraft, 'from'> {
  const { conversation, subject } = delivery;
  return {
    to: delivery.to.map(addressOf),
    cc: delivery.cc.map(addressOf),
    bcc: delivery.bcc.map(addressOf),
    subject: delivery.isReply ? replySubject(subject) : subject,
    text: textWithoutMentions(delivery.body),
    html: delivery.bodyHtml === null ? null : htmlWithoutMentions(delivery.bodyHtml),
    messageId: delivery.rfcMessageId,
    inReplyTo: conversation.answered,
    references: replyReferences({
      messageId: conversation.answered,
      inReplyTo: [],
      references: [rootIdOf(delivery.ticketId, mailFrom), ...conversation.ids],
    }),
    date,
  };
}

/** Behind the separator by which mail programs know a signature (RFC 3676 §4.3). */
function signed(draft: MailDraft, signature: string | null): MailDraft {
  if (signature === null || signature.trim() === '') return draft;
  const block = `-- \n${signature.trim().replace(/\r\n?/g, '\n')}`;
  const html = draft.html ?? null;
  return {
    ...draft,
    text: `${draft.text.trimEnd()}\n\n${block}\n`,
    html: html === null ? null : `${html}<br>${textToHtml(block)}`,
  };
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
