import type { ReceivedMail } from '../tickets/receive.ts';
import type { MailSource, RawMail } from './raw-mails.ts';

/** The message that stands for a mail which nobody could read: it says so, and the mail hangs on it as it came. */
export function unreadableMessage(
  { workspaceId, origin, mailboxId }: MailSource,
  raw: RawMail,
  { fingerprint, reason }: { fingerprint: string; reason: string },
): Omit<ReceivedMail, 'attachments'> {
  return {
    workspaceId,
    origin,
    mailboxId,
    subject: 'A mail that could not be read',
    author: { type: 'system', name: null, email: null },
    participantIds: [],
    body: `A mail came in that could not be read: ${reason}. It is attached as it came.`,
    bodyHtml: null,
    replyText: null,
    toAddresses: [],
    ccAddresses: [],
    replyToAddresses: [],
    deliveredToAddresses: [],
    rfcMessageId: null,
    namedIds: [],
    automaticKind: null,
    isFromPerson: false,
    threading: { fingerprint, matchedBy: null, matchedId: null, isSenderKnown: null },
    createdAt: raw.receivedAt,
  };
}
