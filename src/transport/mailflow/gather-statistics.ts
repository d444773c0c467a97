import type { Db } from '../../ground/database/db.ts';
import { joinSql, sql } from '../../ground/database/sql.ts';

/** The tables that mail fills. Analyzing the keys is enough and skips the long columns. */
const filled = {
  contacts: sql`contacts (workspace_id, id)`,
  tickets: sql`tickets (workspace_id, id)`,
  ticket_participants: sql`ticket_participants (workspace_id, ticket_id)`,
  messages: sql`messages (workspace_id, id)`,
  mail_ids: sql`mail_ids (workspace_id, rfc_message_id)`,
  thread_tokens: sql`thread_tokens (workspace_id, token, ticket_id)`,
  raw_mails: sql`raw_mails (workspace_id, id, sha256)`,
  mailbox_mails: sql`mailbox_mails (workspace_id, mailbox_id, provider_id, raw_mail_id)`,
} as const;
type Filled = keyof typeof filled;

/**
 * Analyzes the tables that mail fills, each time the raw mails have grown fourfold. Autovacuum does the same, but at
 * least a minute later. Until then plans for empty tables stay in use, for which all indexes cost the same. Every
 * look-up by id and every foreign key check may then read an index of the whole workspace. Tables that were already
 * large are left out, because their sample takes 30,000 pages. On Citus the coordinator does not know how many rows the
 * nodes have, so autovacuum has to do.
 * @param rowsMin at least this many mails are stored
 */
export async function gatherStatistics(db: Db, rowsMin: number): Promise<void> {
  const behind = await db.rows<{ table: Filled }>(sql`
    select relname as "table"
    from pg_class
    where oid = any(${Object.keys(filled)}::regclass[]) and greatest(reltuples, 0) * 4 < ${rowsMin}::integer
      and to_regclass('pg_dist_partition') is null`);
  const tables = behind.map(({ table }) => table);
  if (!tables.includes('raw_mails')) return;
  const keys = tables.map((table) => filled[table]);
  await db.rows(sql`analyze ${joinSql(keys, ', ')}`);
}
