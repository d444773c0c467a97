import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { redactedTexts } from '../../ground/database/table-sql.ts';
import { remoteAddressesIn } from '../../ground/lib/html/remote-addresses.ts';
import type { MessageId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { forgetImages } from '../files/keep-image.ts';
import { noteLooseBlobs } from '../files/loose-blobs.ts';
import { eraseRawMails } from './erase-raw-mails.ts';
import { rewriteWords } from './words.ts';

/**
 * Takes texts, files, remote pictures and originals of messages away for good, and leaves their stubs: who wrote when
 * to whom. The caller rewrites the summary and the search vector of their tickets, and counts the storage again. A
 * sweep deletes the bytes.
 * @param by null for the service itself
 */
export async function blankMessages(
  tx: Tx,
  workspaceId: WorkspaceId,
  { messageIds, by }: { messageIds: readonly MessageId[]; by: UserId | null },
): Promise<void> {
  if (messageIds.length === 0) return;
  const ids = sql`any(${messageIds}::uuid[])`;
  const texts = await tx.rows<{ html: string | null }>(sql`
    select body_html as html from messages
    where workspace_id = ${workspaceId} and id = ${ids} and body_html like '%data-src=%'`);
  const [, files] = await together([
    // Another message with the same picture has it fetched again.
    forgetImages(
      tx,
      workspaceId,
      texts.flatMap(({ html }) => remoteAddressesIn(html ?? '')),
    ),
    tx.rows<{ sha256: string }>(sql`
      delete from attachments where workspace_id = ${workspaceId} and message_id = ${ids} returning sha256`),
    eraseRawMails(tx, workspaceId, sql`(select unnest(${messageIds}::uuid[]))`),
    // The copy for the folder of sent mails is the whole mail.
    tx.run(sql`delete from unfiled_copies where workspace_id = ${workspaceId} and message_id = ${ids}`),
    tx.run(sql`
      update messages
      set ${redactedTexts('messages')}, quoted_html_ranges = null, truncated = '{}', search = null,
        redacted_at = coalesce(redacted_at, ${tx.now}), redacted_by = coalesce(redacted_by, ${by}::uuid)
      where workspace_id = ${workspaceId} and id = ${ids}`),
    rewriteWords(
      tx,
      workspaceId,
      messageIds.map((messageId) => ({ messageId, subject: null, body: '' })),
    ),
  ]);
  await noteLooseBlobs(tx, workspaceId, files);
}
