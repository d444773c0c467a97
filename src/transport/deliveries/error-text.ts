import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { erasedText } from '../../helpdesk/erasures/person.ts';

/** Anchored at its start, because the same letters may stand before and behind the `@`. */
const addressPattern = /(?<![^\s<>()[\]",;:])@*[^\s<>()[\]",;:@]+@[^\s<>()[\]",;:]*[\p{L}\p{N}]/gu;

/**
 * Removes addresses that are no recipients any more, if a person of the workspace was erased since the message was
 * written. The error of an attempt that ran meanwhile may name them. Locks the message against a running erasure.
 */
export async function withoutErasedAddresses(
  tx: Tx,
  { workspaceId, messageId }: { workspaceId: WorkspaceId; messageId: MessageId },
  error: string,
): Promise<string> {
  const message = await tx.maybe<{ recipients: string[]; isAfterErasure: boolean }>(sql`
    select m.to_addresses || m.cc_addresses || m.bcc_addresses as recipients,
      exists (
        select from erasures e where e.workspace_id = ${workspaceId} and e.requested_at >= m.created_at
      ) as "isAfterErasure"
    from messages m
    where m.workspace_id = ${workspaceId} and m.id = ${messageId}
    for no key update of m`);
  if (message?.isAfterErasure !== true) return error;
  const left = new Set(message.recipients.map(caseKey));
  return error.replace(addressPattern, (address) => (left.has(caseKey(address)) ? address : erasedText));
}
