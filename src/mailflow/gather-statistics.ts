import type { Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

/**
 * Tells PostgreSQL that the tables which mail fills are no longer small; done again each time they have grown fourfold, and
 * never where they were large before. Autovacuum does the same, a minute later at best; until then plans made for empty tables
 * go on, in which all indexes are equal: every look-up by id and every check of a foreign key may read an index of
 * the whole workspace. The keys are enough to end that, and the long columns need not be read.
 * @param rowsMin so many mails are here for certain
 */
export async function gatherStatistics(db: Db, rowsMin: number): Promise<void> {
  const { isBehind } = await db.one<{ isBehind: boolean }>(sql`
    select greatest(reltuples, 0) * 4 < ${rowsMin}::integer as "isBehind" from pg_class where oid = 'raw_mails'::regclass`);
  if (!isBehind) return;
  await db.rows(sql`
    analyze contacts (workspace_id, id), tickets (workspace_id, id), ticket_participants (workspace_id, ticket_id),
      messages (workspace_id, id), mail_ids (workspace_id, rfc_message_id), raw_mails (workspace_id, id, sha256),
      mailbox_mails (workspace_id, mailbox_id, provider_id, raw_mail_id)`);
}
