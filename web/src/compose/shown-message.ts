import { queryClient } from '../api/cache.ts';
import type { Message } from '../api/client.ts';
import { preferences } from '../lib/preferences.ts';
import { randomId } from '../lib/random-id.ts';
import { meQuery } from '../session/queries.ts';
import type { DraftContent } from './draft/draft-content.ts';
import type { Recipients } from './recipients/recipients-of.ts';

type Written = {
  content: DraftContent;
  recipients: Recipients;
  isNote: boolean;
  sendAt?: string;
  unlessReplied?: boolean;
};

/** A message as its ticket shows it until the service has answered. It leaves out the quote, which would be folded. */
export function messageOf(
  { content, recipients, isNote, sendAt, unlessReplied = true }: Written,
  ticketId: string,
  userId: string,
): Message {
  const { body, bodyHtml, files, forwardOf, fromAddress } = content;
  const { name = null, email = null } = queryClient.getQueryData(meQuery.queryKey)?.user ?? {};
  const now = Date.now();
  const leavesAt = new Date(now + preferences().undoSendSeconds * 1_000).toISOString();
  const waits = { error: null, sentAt: null, attempts: 0 };
  const onItsWay =
    sendAt === undefined
      ? ({ ...waits, status: 'queued', nextAttemptAt: leavesAt } as const)
      : ({ ...waits, status: 'scheduled', nextAttemptAt: sendAt, unlessReplied } as const);
  return {
    ...{ id: randomId(), ticketId, isBeingSent: true, isInternal: isNote },
    ...{ direction: isNote ? 'internal' : 'outbound', author: { type: 'agent', userId, name, email } },
    ...{ body, bodyHtml, replyText: null, newHtml: null, quotedHtml: null, forwardOf, forwardedBy: null },
    fromAddress: isNote ? null : fromAddress,
    // The service says what the text shows only once it has the message.
    attachments: files.map((file) => ({ ...file, isInline: bodyHtml?.includes(`"cid:${file.contentId}"`) === true })),
    ...(isNote ? { to: [], cc: [], bcc: [] } : recipients),
    delivery: isNote
      ? null
      : { ...onItsWay, handledAt: null, isFile: false, bounceKind: null, enhancedStatusCode: null },
    createdAt: new Date(now).toISOString(),
    ...{ replyTo: [], remoteImages: [], showsRemoteImages: false, truncated: [], redacted: null },
    ...{
      envelopeFrom: null,
      authentication: null,
      isSenderKnown: null,
      matchedBy: null,
      subject: null,
      automaticKind: null,
      sentAt: null,
    },
  };
}
