import { fingerprintVersion } from '@kontor/mail/identity.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { awaitIngestTurn } from '../../helpdesk/messages/ingest-turn.ts';
import { mailIdKey } from '../../helpdesk/messages/mail-ids.ts';
import { type RawMailRow, rawMailColumns, rawMailOf } from './raw-mails.ts';
import type { Stores } from './stores.ts';
import type { UnderstoodMail, UnreadableMail } from './understand.ts';

const renewedMax = 500;

/**
 * Recomputes fingerprints by an earlier rule for stored mails that share a Message-ID with the given mails.
 * Otherwise a mail that comes again in other bytes would not be recognised. Reads the stored bytes.
 */
export async function renewFingerprints(
  { db, blobs, mailParser }: Pick<Stores, 'db' | 'blobs' | 'mailParser'>,
  workspaceId: WorkspaceId,
  mails: readonly (UnderstoodMail | UnreadableMail)[],
): Promise<void> {
  const ids = mails.flatMap((mail) => ('reason' in mail ? [] : (mail.parsed.messageId ?? [])));
  if (ids.length === 0) return;
  const rows = await db.rows<RawMailRow>(sql`
    select ${rawMailColumns}
    from unnest(${ids.map(mailIdKey)}::text[]) as given (rfc_message_id)
    -- Each "offset 0" fences a step: without statistics the planner would read the whole workspace for each mail.
    cross join lateral (
      select message_id from mail_ids
      where workspace_id = ${workspaceId} and rfc_message_id = given.rfc_message_id offset 0
    ) i
    cross join lateral (
      select ticket_id, rfc_message_id from messages where workspace_id = ${workspaceId} and id = i.message_id offset 0
    ) n
    -- Two mails with one Message-ID and different content are both in the ticket, but mail_ids names only one of them.
    cross join lateral (
      select id from messages
      where workspace_id = ${workspaceId} and ticket_id = n.ticket_id and rfc_message_id = n.rfc_message_id offset 0
    ) m
    join raw_mails r on r.workspace_id = ${workspaceId} and r.message_id = m.id
    where r.state = 'ingested' and r.fingerprint_version < ${fingerprintVersion}
    limit ${renewedMax}`);
  for (const row of rows) {
    const bytes = await blobs.packed.get(workspaceId, row.sha256).catch(() => null);
    if (bytes === null) continue;
    const { fingerprint } = await mailParser.parse(rawMailOf(row, bytes), workspaceId);
    await db.tx(async (tx) => {
      // Ingestion's lock, so that nobody else writes fingerprints meanwhile.
      await awaitIngestTurn(tx, workspaceId);
      await tx.run(sql`
        update raw_mails set fingerprint = ${fingerprint}, fingerprint_version = ${fingerprintVersion}
        where workspace_id = ${workspaceId} and id = ${row.id} and not exists (
          select from raw_mails o
          where o.workspace_id = ${workspaceId} and o.fingerprint = ${fingerprint} and o.id <> ${row.id}
            and o.state in ('ingested', 'quarantined')
        )`);
    });
  }
}
