import { domainOf } from '../lib/plus-address.ts';
import { composeStream, newMessageId, replyReferences, replySubject } from '../mail/compose.ts';
import type { OutgoingMail } from '../mail/transport.ts';
import type { Blobs } from '../platform/blobs.ts';
import type { Config } from '../platform/config.ts';
import type { DeliveredFile, Delivery } from '../tickets/claim-delivery.ts';
import { replyAddressOf } from './reply-address.ts';

type Sender = { config: Pick<Config, 'mailFrom' | 'smtpListen'>; blobs: Blobs; date: Date };

/**
 * An answer as mail: from the agent by name, replies to the address with the message's token, and behind In-Reply-To the
 * conversation as far as the recipients know it. The body goes as it was written: what it answers is in the recipients' own
 * mailboxes and is not quoted.
 * Throws for an address to which no mail can be sent.
 */
export function composeAnswer({ config, blobs, date }: Sender, delivery: Delivery): OutgoingMail {
  const { mailFrom, smtpListen } = config;
  const { workspaceId, messageId, conversation, subject, author } = delivery;
  const replyTo = replyAddressOf(config, delivery.inbound, messageId);
  const raw = composeStream({
    from: { name: author.name ?? mailFrom.name, email: mailFrom.email },
    replyTo: [mailbox(replyTo)],
    to: delivery.to.map(mailbox),
    cc: delivery.cc.map(mailbox),
    subject: delivery.isReply ? replySubject(subject) : subject,
    text: delivery.body,
    html: delivery.bodyHtml,
    messageId: delivery.rfcMessageId,
    inReplyTo: conversation.answered,
    references: replyReferences({
      messageId: conversation.answered,
      inReplyTo: [],
      references: [rootIdOf(delivery.ticketId, mailFrom), ...conversation.ids],
    }),
    date,
    attachments: delivery.files.map((file) => attachmentOf(blobs, workspaceId, file)),
  });
  // Where mail comes in by SMTP, bounces come back with the token too.
  const envelopeFrom = smtpListen === undefined ? mailFrom.email : replyTo;
  return { envelopeFrom, recipients: [...new Set([...delivery.to, ...delivery.cc])], raw };
}

/** Read as a header's list, an address with a comma, semicolon or comment in it would be somebody else's, or nobody's. */
function mailbox(email: string) {
  return { name: null, email };
}

/**
 * An id that no mail has and every answer of the ticket names as the root of its thread: replies copy it, also where a
 * provider put an id of its own in the place of ours.
 */
export function rootIdOf(ticketId: string, mailFrom: Config['mailFrom']): string {
  return newMessageId(domainOf(mailFrom.email), `ticket.${ticketId}`);
}

function attachmentOf(blobs: Blobs, workspaceId: string, file: DeliveredFile) {
  const { fileName, contentType, sha256, contentId, isInline } = file;
  const content = async () => {
    const bytes = await blobs.open(workspaceId, sha256);
    if (bytes === undefined) throw new Error(`the file ${fileName} is missing in the store`);
    return bytes;
  };
  return { fileName, contentType, content, contentId: isInline ? contentId : null };
}
