import { unauthenticated } from '@kontor/mail/mail-authentication.ts';
import type { NewAttachment } from '../../helpdesk/files/attach.ts';
import type { MailSource, RawMail } from './raw-mails.ts';
import type { ReceivedMail, TicketDefaults } from './take/receive.ts';

/** The message that stands for an unreadable mail. It explains the problem, and the original mail is attached. */
export function unreadableMessage(
  { workspaceId }: Pick<MailSource, 'workspaceId'>,
  raw: RawMail,
  { fingerprint, reason, defaults }: { fingerprint: string; reason: string; defaults: TicketDefaults },
): Omit<ReceivedMail, 'attachments'> {
  return {
    workspaceId,
    origin: raw.origin,
    mailboxId: raw.mailboxId,
    defaults,
    direction: 'inbound',
    requester: null,
    subject: 'A mail that could not be read',
    author: { type: 'system', name: null, email: null },
    participantIds: [],
    knownIds: [],
    body: `A mail came in that could not be read: ${reason}. It is attached as it came.`,
    bodyHtml: null,
    replyText: null,
    quotedHtmlRanges: null,
    toAddresses: [],
    ccAddresses: [],
    replyToAddresses: [],
    deliveredToAddresses: [],
    envelopeFrom: raw.envelope.from,
    authentication: unauthenticated,
    headers: null,
    rfcMessageId: null,
    namedIds: [],
    automaticKind: null,
    isFromPerson: false,
    threading: { fingerprint, matchedBy: null, matchedId: null, isSenderKnown: null },
    createdAt: raw.receivedAt,
    sentAt: null,
    truncated: [],
  };
}

/** The original mail as an attachment of the message that stands for it. */
export function wholeMail({ sha256, bytes }: RawMail): NewAttachment {
  const fileName = 'original-mail.eml';
  return { fileName, contentType: 'message/rfc822', sizeBytes: bytes.length, sha256, contentId: null, isInline: false };
}
