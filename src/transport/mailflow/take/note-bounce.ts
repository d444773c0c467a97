import { bounceVerdict } from '@kontor/mail/bounces/bounce-kind.ts';
import { bounceReason } from '@kontor/mail/bounces/bounce-reason.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { MessageId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import { markBounced } from '../../deliveries/settle-delivery.ts';
import { answeredByToken, type OwnAddresses } from '../own-addresses.ts';
import type { UnderstoodMail } from '../understand.ts';

/**
 * Marks the answer that bounced, for the recipients of the answer that the bounce names. Strangers may know its
 * Message-ID and recipients too. So a bounce counts only if its sender is proven, if it came to the answer's own
 * address, or to the mailbox that sent the answer; the last only with recipients. Imported bounces are old and mark
 * nothing.
 */
export async function noteBounce(
  tx: Tx,
  mail: UnderstoodMail,
  { workspaceId, messageId, own }: { workspaceId: WorkspaceId; messageId: MessageId; own: OwnAddresses },
): Promise<void> {
  const { raw, report, authentication } = mail;
  if (raw.origin !== 'live' || report?.kind !== 'bounce' || authentication.verdict === 'fail') return;
  const failed = report.recipients.filter(({ action }) => action === 'failed');
  const { emails, mailboxId } = await findAnswer(tx, workspaceId, messageId);
  const recipients = new Set(emails.map(caseKey));
  const ours = failed.filter(({ address }) => recipients.has(caseKey(address)));
  const isVouchedFor = authentication.verdict === 'pass' || answeredByToken(mail, own) === messageId;
  const isInMailbox = raw.hosted !== null && raw.hosted.mailboxId === mailboxId;
  const doesCount = ours.length > 0 ? isVouchedFor || isInMailbox : failed.length === 0 && isVouchedFor;
  if (!doesCount) return;
  await markBounced(tx, { workspaceId, messageId, error: bounceReason({ recipients: ours }), ...bounceVerdict(ours) });
}

/** The recipients of an answer, and the mailbox that sent it; null when it left by SMTP. */
async function findAnswer(
  tx: Tx,
  workspaceId: WorkspaceId,
  messageId: MessageId,
): Promise<{ emails: string[]; mailboxId: string | null }> {
  const answer = await tx.maybe<{ emails: string[]; mailboxId: string | null }>(sql`
    select m.to_addresses || m.cc_addresses || m.bcc_addresses as emails, s.mailbox_id as "mailboxId"
    from messages m
    left join mailbox_sends s on s.workspace_id = ${workspaceId} and s.message_id = m.id
    where m.workspace_id = ${workspaceId} and m.id = ${messageId}`);
  return answer ?? { emails: [], mailboxId: null };
}
