import type { Readable } from 'node:stream';
import {
  composeStream,
  forwardSubject,
  type MailDraft,
  newMessageId,
  replyReferences,
  replySubject,
} from '@kontor/mail/compose.ts';
import { textToHtml } from '@kontor/mail/html/html-text.ts';
import { htmlWithoutMentions } from '../../../events/notifications/html-mentions.ts';
import { textWithoutMentions } from '../../../events/notifications/mentions.ts';
import type { Blobs } from '../../../ground/blobs/blobs.ts';
import type { TicketId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { addressBase, domainOf } from '../../../ground/lib/plus-address.ts';
import type { Config } from '../../../ground/settings/config.ts';
import { questionInMail } from '../../../helpdesk/ratings/question-in-mail.ts';
import type { SurveyLinks } from '../../../helpdesk/ratings/survey-links.ts';
import { sendersOf } from '../../../mail/mailboxes/addresses.ts';
import type { HostedMail } from '../../../mail/provider.ts';
import type { OutgoingMail } from '../../../mail/transport.ts';
import type { DeliveredFile, Delivery } from '../../deliveries/claim-delivery.ts';
import type { MailboxSend } from '../../deliveries/mailbox-send.ts';
import { replyAddressOf } from './reply-address.ts';
import { isRich, type Signature, signatureFor } from './signature.ts';

type AnswerParts = {
  config: Pick<Config, 'mailFrom' | 'smtpListen'>;
  blobs: Blobs;
  surveyLinks: SurveyLinks;
  date: Date;
};

/**
 * Composes an answer as mail. It comes from the agent by name, and replies go to the address with the message's token.
 * References list the conversation as far as the recipients know it. Mentions become plain names.
 * An automatic reply has no envelope sender: nothing answers it, and no bounce of it comes back (RFC 3834 §3.3).
 * Throws for an address that cannot receive mail.
 */
export function composeAnswer(sender: AnswerParts, delivery: Delivery): OutgoingMail {
  const { config, blobs } = sender;
  const { mailFrom, smtpListen } = config;
  const { workspaceId, messageId, author } = delivery;
  const replyTo = replyAddressOf(config, delivery.inbound, messageId);
  const raw = composeStream({
    ...draftOf(sender, delivery, signatureFor(author, null)),
    from: { name: author.name ?? mailFrom.name, email: mailFrom.email },
    replyTo: [addressOf(replyTo)],
    attachments: delivery.files.map((file) => attachmentOf(blobs, workspaceId, file)),
  });
  // If the service receives SMTP, bounces come back with the token too.
  const sentBy = smtpListen === undefined ? mailFrom.email : replyTo;
  return { envelopeFrom: delivery.isAutomatic ? '' : sentBy, recipients: recipientsOf(delivery), raw };
}

function recipientsOf({ to, cc, bcc }: Delivery): string[] {
  return [...new Set([...to, ...cc, ...bcc])];
}

/**
 * Composes the same through a mailbox: from its address, or the alias to which the customer wrote.
 * @param threadSubject the subject of the continued thread; another subject would begin a new thread
 * Throws for an address that cannot receive mail.
 */
export function composeHosted(
  sender: AnswerParts,
  delivery: Delivery,
  { mailbox, thread }: Pick<MailboxSend, 'mailbox' | 'thread'>,
  threadSubject?: string,
): HostedMail {
  const { blobs } = sender;
  const { workspaceId, rfcMessageId, files } = delivery;
  // A forward must not continue the thread, which would show the whole conversation to outsiders.
  const continued = delivery.isForward ? undefined : threadSubject;
  const draft: MailDraft = {
    ...draftOf(sender, delivery, signatureFor(delivery.author, mailbox)),
    ...(continued === undefined ? {} : { subject: replySubject(continued) }),
    from: { name: delivery.author.name, email: senderOf(mailbox, delivery) },
    namesOwnId: true,
  };
  const composed = (attached: readonly DeliveredFile[], options = { namesBcc: false }) =>
    composeStream({ ...draft, attachments: attached.map((file) => attachmentOf(blobs, workspaceId, file)) }, options);
  // Throws here for invalid addresses, before any request to the provider.
  composed([]);
  return {
    sender: draft.from.email,
    recipients: recipientsOf(delivery),
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

/** The chosen address, else the one at which the conversation began, as far as the mailbox can send from there. */
function senderOf(
  mailbox: MailboxSend['mailbox'],
  { conversation: { addressedTo }, fromAddress }: Pick<Delivery, 'conversation' | 'fromAddress'>,
): string {
  if (fromAddress !== null) return fromAddress;
  const bases = addressedTo.map(addressBase);
  return sendersOf(mailbox).find((sender) => bases.includes(addressBase(sender))) ?? mailbox.address;
}

/** The fields that SMTP and mailboxes share. */
function draftOf(
  { config: { mailFrom }, surveyLinks, date }: AnswerParts,
  delivery: Delivery,
  signature: Signature | null,
): Omit<MailDraft, 'from'> {
  const { conversation } = delivery;
  const answered = delivery.isForward ? null : conversation.answered;
  return {
    to: delivery.to.map(addressOf),
    cc: delivery.cc.map(addressOf),
    bcc: delivery.bcc.map(addressOf),
    subject: subjectOf(delivery),
    ...bodiesOf(surveyLinks, delivery, signature),
    messageId: delivery.rfcMessageId,
    inReplyTo: answered,
    references: replyReferences({
      messageId: answered,
      inReplyTo: [],
      references: [rootIdOf(delivery.ticketId, mailFrom), ...conversation.ids],
    }),
    date,
    ...(delivery.isAutomatic && { automatic: 'auto-replied' as const }),
  };
}

function subjectOf({ isForward, isReply, subject }: Delivery): string {
  if (isForward) return forwardSubject(subject);
  return isReply ? replySubject(subject) : subject;
}

/**
 * The writer's own words, the signature, the question of a survey, then the quote. A signature with formatting gives a
 * plain answer HTML, too: recipients see what its author saw. A question does so for its links.
 */
function bodiesOf(
  surveyLinks: SurveyLinks,
  { body, bodyHtml, ownChars, ask }: Delivery,
  signature: Signature | null,
): { text: string; html: string | null } {
  const question = ask === null ? null : questionInMail(surveyLinks, ask);
  const texts = splitAt(body, ownChars.text).map(textWithoutMentions).map(surveyLinks.strip);
  const htmls =
    bodyHtml !== null
      ? splitAt(bodyHtml, ownChars.html).map(outgoingHtml).map(surveyLinks.strip)
      : question !== null || (signature !== null && isRich(signature))
        ? texts.map((text) => (text === '' ? '' : textToHtml(text)))
        : null;
  const [text = '', quotedText = ''] = texts;
  const [html = '', quotedHtml = ''] = htmls ?? [];
  const blocks = [signature, question].filter((block) => block !== null);
  const below = blocks.map((block) => `\n\n${block.text}`).join('');
  const belowHtml = blocks.map((block) => `<br>${outgoingHtml(block.html)}`).join('');
  return {
    text: blocks.length === 0 ? `${text}${quotedText}` : `${text.trimEnd()}${below}\n${quotedText}`,
    html: htmls === null ? null : `${html}${belowHtml}${quotedHtml}`,
  };
}

function splitAt(whole: string, chars: number | null): string[] {
  return chars === null ? [whole, ''] : [whole.slice(0, chars), whole.slice(chars)];
}

/** The HTML for recipients: mentions become names, and remote images get their address back. */
function outgoingHtml(html: string): string {
  return htmlWithoutMentions(html).replace(/<img [^<>]*>/g, (tag) => tag.replace(' data-src="', ' src="'));
}

/**
 * Returns an object, so that nothing parses the text as a header's list: a comma, semicolon or comment could change
 * the recipient.
 */
function addressOf(email: string) {
  return { name: null, email };
}

/**
 * The root id of a ticket's thread, which no mail has and every answer references. Replies copy it, even if a provider
 * replaced our Message-ID.
 */
export function rootIdOf(ticketId: TicketId, mailFrom: Config['mailFrom']): string {
  return newMessageId(domainOf(mailFrom.email), `ticket.${ticketId}`);
}

export function isRootId(rfcMessageId: string): boolean {
  return /^ticket\.[\da-f]{32}@/.test(rfcMessageId);
}

function attachmentOf(blobs: Blobs, workspaceId: WorkspaceId, file: DeliveredFile) {
  const { fileName, contentType, contentId, isInline } = file;
  const content = () => openFile(blobs, workspaceId, file);
  return { fileName, contentType, content, contentId: isInline ? contentId : null };
}

async function openFile(
  blobs: Blobs,
  workspaceId: WorkspaceId,
  { sha256, fileName }: Pick<DeliveredFile, 'sha256' | 'fileName'>,
): Promise<Readable> {
  const bytes = await blobs.open(workspaceId, sha256);
  if (bytes === undefined) throw new Error(`the file ${fileName} is missing in the store`);
  return bytes;
}
