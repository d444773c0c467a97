import { readHeaderBlock } from '@kontor/mail/header-fields.ts';
import { readMessageIds } from '@kontor/mail/message-ids.ts';
import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { hasBadText } from '../../../ground/http/json-body.ts';
import type { FetchedMail } from '../../../mail/provider.ts';

/** A mail is usually a message by then. */
const firstSeconds = 5;
const idBytesMax = 2_000;

/**
 * Notes new mails in the commit that stores them. Mail that was here before stays: somebody may have put it back, or
 * the server may have numbered it anew. Runs after the statement that writes the mails' rows.
 */
export async function noteAfterIntake(
  tx: Tx,
  { workspaceId, mailboxId }: MailboxKey,
  mails: readonly FetchedMail[],
  hashes: readonly string[],
): Promise<void> {
  await tx.run(sql`
    insert into mailbox_after_intake (workspace_id, mailbox_id, provider_id, rfc_message_id, due_at)
    select ${workspaceId}, ${mailboxId}, n.provider_id, n.rfc_message_id,
      ${tx.now}::timestamptz + make_interval(secs => ${firstSeconds})
    from unnest(${mails.map(({ providerId }) => providerId)}::text[], ${hashes}::text[],
      ${mails.map(({ folder }) => folder)}::text[], ${mails.map(({ raw }) => messageIdOf(raw))}::text[])
      n (provider_id, sha256, folder, rfc_message_id)
    join raw_mails r on r.workspace_id = ${workspaceId} and r.sha256 = n.sha256 and r.state = 'pending'
    join mailbox_servers s on s.workspace_id = ${workspaceId} and s.mailbox_id = ${mailboxId}
    where n.folder = 'inbox' and s.after_intake <> 'leave'
    on conflict do nothing`);
}

function messageIdOf(raw: Buffer): string | null {
  const { fields } = readHeaderBlock(raw, 0, raw.length);
  const [id] = readMessageIds(fields.find(({ name }) => name === 'message-id')?.value ?? '');
  return id !== undefined && Buffer.byteLength(id) <= idBytesMax && !hasBadText(id) ? id : null;
}
