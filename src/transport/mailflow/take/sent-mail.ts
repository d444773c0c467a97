import { headerOf } from '@kontor/mail/mail.ts';
import { ownIdHeader } from '@kontor/mail/message-ids.ts';
import type { Queryable } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { MessageId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import { findSentMessage } from '../../../helpdesk/messages/mail-ids.ts';
import type { OwnAddresses } from '../own-addresses.ts';
import type { SendingMember, UnderstoodMail } from '../understand.ts';

/**
 * Whether our own people sent the mail from a mail program: it is in a sent folder or, in an import, from one of our
 * own addresses. Mail to only our own addresses does not count. It is inbound mail in the mailbox where it arrives, so
 * the result is the same for whichever copy comes first.
 */
export function isSentByHand(
  { raw, from, toAddresses, ccAddresses }: Pick<UnderstoodMail, 'raw' | 'from' | 'toAddresses' | 'ccAddresses'>,
  { isOwn }: Pick<OwnAddresses, 'isOwn'>,
): boolean {
  const isOurs =
    raw.hosted === null ? raw.origin === 'import' && from !== null && isOwn(from.email) : raw.hosted.folder === 'sent';
  if (!isOurs) return false;
  const recipients = [...toAddresses, ...ccAddresses];
  return recipients.length === 0 || recipients.some((email) => !isOwn(email));
}

/**
 * The message of ours of which a mail is a copy. In a sent folder our id header counts; elsewhere a stranger could
 * forge it. Elsewhere the Message-ID counts, if the mail is from one of our own addresses: it came back by a forward,
 * a list or a Cc to ourselves.
 */
export async function findOwnCopy(
  db: Queryable,
  workspaceId: WorkspaceId,
  { raw, parsed }: UnderstoodMail,
  { isOwn }: Pick<OwnAddresses, 'isOwn'>,
): Promise<MessageId | undefined> {
  const isSent = raw.hosted?.folder === 'sent';
  if (!isSent && (parsed.from === null || !isOwn(parsed.from.email))) return undefined;
  const named = isSent ? headerOf(parsed, ownIdHeader.toLowerCase())?.trim().replace(/^<|>$/g, '') : undefined;
  for (const id of [named, parsed.messageId]) {
    const sentId = id ? await findSentMessage(db, workspaceId, id) : undefined;
    if (sentId !== undefined) return sentId;
  }
  return undefined;
}

/** The member who sent a mail by hand, according to From or Sender. */
export async function findSendingMember(
  db: Queryable,
  workspaceId: WorkspaceId,
  { from, parsed }: Pick<UnderstoodMail, 'from' | 'parsed'>,
): Promise<SendingMember | null> {
  const keys = [parsed.sender, from].flatMap((address) => (address === null ? [] : [caseKey(address.email)]));
  const member = await db.maybe<SendingMember>(sql`
    select m.user_id as "userId", u.name, u.email
    from members m
    join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.removed_at is null and u.email_key = any(${keys}::text[])
    order by array_position(${keys}::text[], u.email_key)
    limit 1`);
  return member ?? null;
}
