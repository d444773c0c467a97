import type { Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import { markBounced } from '../../deliveries/settle-delivery.ts';
import type { MessageId, WorkspaceId } from '../../lib/ids.ts';
import { caseKey } from '../../lib/text.ts';
import { bounceVerdict } from '../../mail/bounces/bounce-kind.ts';
import { bounceReason } from '../../mail/bounces/bounce-reason.ts';
import { answeredByToken, type OwnAddresses } from '../own-addresses.ts';
import type { UnderstoodMail } from '../understand.ts';

/**
 * Marks the answer that bounced, for the recipients of the answer that the bounce names. A bounce without recipients
 * counts only if it came to the answer's own address or its sender is authenticated, because strangers may know the
 * Message-ID too. Imported bounces are old and mark nothing.
 */
export async function noteBounce(
  tx: Tx,
  mail: UnderstoodMail,
  { workspaceId, messageId, own }: { workspaceId: WorkspaceId; messageId: MessageId; own: OwnAddresses },
): Promise<void> {
  const { raw, report, authentication } = mail;
  if (raw.origin !== 'live' || report?.kind !== 'bounce' || authentication.verdict === 'fail') return;
  const failed = report.recipients.filter(({ action }) => action === 'failed');
  const recipients = await findRecipients(tx, workspaceId, messageId);
  const ours = failed.filter(({ address }) => recipients.has(caseKey(address)));
  const isVouchedFor = authentication.verdict === 'pass' || answeredByToken(mail, own) === messageId;
  if (ours.length === 0 && (failed.length > 0 || !isVouchedFor)) return;
  await markBounced(tx, { workspaceId, messageId, error: bounceReason({ recipients: ours }), ...bounceVerdict(ours) });
}

async function findRecipients(tx: Tx, workspaceId: WorkspaceId, messageId: MessageId): Promise<Set<string>> {
  const message = await tx.maybe<{ emails: string[] }>(sql`
    select to_addresses || cc_addresses || bcc_addresses as emails
    from messages
    where workspace_id = ${workspaceId} and id = ${messageId}`);
  return new Set((message?.emails ?? []).map(caseKey));
}
