import type { Db } from '../database/db.ts';
import { joinSql, sql } from '../database/sql.ts';

/** The tables that mail fills. The keys are enough, and the long columns need not be read. */
const filled = {
  contacts: sql`contacts (workspace_id, id)`,
  tickets: sql`tickets (workspace_id, id)`,
  ticket_participants: sql`ticket_participants (workspace_id, ticket_id)`,
  messages: sql`messages (workspace_id, id)`,
  mail_ids: sql`mail_ids (workspace_id, rfc_message_id)`,
  raw_mails: sql`raw_mails (workspace_id, id, sha256)`,
  mailbox_mails: sql`mailbox_mails (workspace_id, mailbox_id, provider_id, raw_mail_id)`,
} as const;
type Filled = keyof typeof filled;

/**
 * Tells PostgreSQL that the tables which mail fills are no longer small, each time the raw mails have grown fourfold. Autovacuum does the
 * same, a minute later at best; until then plans made for empty tables go on, in which all indexes are equal: every look-up by id and
 * every check of a foreign key may read an index of the whole workspace. A table that was large already is left out: its sample takes
 * 30,000 pages.
 * @param rowsMin so many mails are here for certain
 */
export async function gatherStatistics(db: Db, rowsMin: number): Promise<void> {
  const behind = await db.rows<{ table: Filled }>(sql`
    select relname as "table"
    from pg_class
    where oid = any(${Object.keys(filled)}::regclass[]) and greatest(reltuples, 0) * 4 < ${rowsMin}::integer`);
  const tables = behind.map(({ table }) => table);
  if (!tables.includes('raw_mails')) return;
  const keys = tables.map((table) => filled[table]);
  await db.rows(sql`analyze ${joinSql(keys, ', ')}`);
}
