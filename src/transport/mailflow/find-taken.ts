import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

/** Finds which mails of a mailbox were taken. A taken copy of an answer has ended the answer's delivery. */
export async function findTaken(
  db: Queryable,
  { workspaceId, mailboxId }: MailboxKey,
  providerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const taken = await db.rows<{ providerId: string }>(sql`
    select h.provider_id as "providerId"
    from mailbox_mails h
    join raw_mails r on r.workspace_id = ${workspaceId} and r.id = h.raw_mail_id
    where h.workspace_id = ${workspaceId} and h.mailbox_id = ${mailboxId}
      and h.provider_id = any(${providerIds}::text[]) and r.state in ('ingested', 'duplicate')`);
  return new Set(taken.map(({ providerId }) => providerId));
}
