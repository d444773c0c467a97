import type { SpamReason } from '../../ground/catalog/spam.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { BlockedSender } from './schema.ts';
import { keysOf, readSender, spellingsOf } from './sender.ts';

export const blockedColumns: Sql = sql`id,
  case when strpos(sender_key, '@') > 0 then 'address' else 'domain' end as kind, sender, created_by as "createdBy",
  created_at as "createdAt"`;

/** Lists the addresses and domains that a workspace blocks, newest first. */
export async function listBlockedSenders(
  db: Queryable,
  workspaceId: WorkspaceId,
  { search = '', limit = 50, cursor }: { search?: string; limit?: number; cursor?: string },
): Promise<Page<BlockedSender>> {
  const before = cursor === undefined ? emptySql : sql`and id < ${readIdCursor(cursor)}::uuid`;
  const asWritten = caseKey(search);
  const asInDns = readSender(search)?.key ?? asWritten;
  const rows = await db.rows<BlockedSender>(sql`
    select ${blockedColumns}
    from blocked_senders
    where workspace_id = ${workspaceId}
      and (strpos(lower(sender), ${asWritten}) > 0 or strpos(sender_key, ${asInDns}) > 0) ${before}
    order by id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}

/**
 * Finds which of these addresses are blocked, and why. Members are never blocked, even if the list has their addresses.
 * @returns the reasons, by `caseKey` of the addresses
 */
export async function findBlocked(
  db: Queryable,
  workspaceId: WorkspaceId,
  emails: readonly string[],
): Promise<Map<string, SpamReason>> {
  const keys = new Map(emails.map((email) => [caseKey(email), keysOf(email)]));
  if (keys.size === 0) return new Map();
  const entries = await db.rows<{ key: string }>(sql`
    select sender_key as key
    from blocked_senders
    where workspace_id = ${workspaceId} and sender_key = any(${[...new Set([...keys.values()].flat())]}::text[])`);
  if (entries.length === 0) return new Map();
  const listed = new Set(entries.map(({ key }) => key));
  const blocked = new Map<string, SpamReason>();
  for (const [email, ownKeys] of keys) {
    const key = ownKeys.find((one) => listed.has(one));
    if (key !== undefined) blocked.set(email, key.includes('@') ? 'blocked_sender' : 'blocked_domain');
  }
  const members = await db.rows<{ key: string }>(sql`
    select u.email_key as key
    from members m
    join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.removed_at is null
      and u.email_key = any(${[...blocked.keys()].flatMap(spellingsOf)}::text[])`);
  const safe = new Set(members.map(({ key }) => key));
  for (const email of blocked.keys()) if (spellingsOf(email).some((one) => safe.has(one))) blocked.delete(email);
  return blocked;
}
