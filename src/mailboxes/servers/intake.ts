import type { MailboxKey } from '../../catalog/jobs.ts';
import type { Queryable } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import { AppError } from '../../lib/errors.ts';
import { type FolderCount, ProviderFault } from '../../mail/provider.ts';
import type { AccountParts } from '../open-account.ts';
import { findMailbox } from '../queries.ts';
import { serverAccess } from './servers.ts';

/** How much of a folder's mail was taken. The parts add up to `onServer`. */
export type FolderIntake = {
  path: string;
  onServer: number;
  taken: number;
  stuck: number;
  waiting: number;
  older: number;
};

/**
 * Compares the folders on the server with what was taken from them. Empty for a provider that lists no folders. Throws
 * 404, and 503 when the server does not answer.
 */
export async function readIntake(parts: AccountParts, key: MailboxKey): Promise<FolderIntake[]> {
  const mailbox = await findMailbox(parts.db, key);
  if (mailbox === undefined || mailbox.status === 'disconnected') throw new AppError('mailbox.not_found');
  const provider = parts.providers[mailbox.provider];
  if (provider.auth !== 'password') return [];
  const done = new AbortController();
  try {
    const cursor = await findCursor(parts.db, key);
    const counts = await provider.countMails(serverAccess(parts, mailbox, done.signal), cursor);
    const folders: FolderIntake[] = [];
    for (const count of counts) folders.push(await compare(parts.db, key, count));
    return folders;
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    throw new AppError('unavailable', {}, { cause: error, headers: { 'retry-after': '60' } });
  } finally {
    done.abort();
  }
}

async function findCursor(db: Queryable, { workspaceId, mailboxId }: MailboxKey): Promise<string | null> {
  const row = await db.maybe<{ cursor: string | null }>(sql`
    select cursor from mailbox_syncs where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
  return row?.cursor ?? null;
}

async function compare(
  db: Queryable,
  { workspaceId, mailboxId }: MailboxKey,
  { path, ids, newIds }: FolderCount,
): Promise<FolderIntake> {
  const { taken, stuck } = await db.one<{ taken: number; stuck: number }>(sql`
    select (
      select count(*) from mailbox_mails
      where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${ids}::text[])
    ) as taken, (
      select count(*) from mailbox_stuck_mails
      where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${ids}::text[])
    ) as stuck`);
  const { known } = await db.one<{ known: number }>(sql`
    select (
      select count(*) from mailbox_mails
      where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${newIds}::text[])
    ) + (
      select count(*) from mailbox_stuck_mails
      where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${newIds}::text[])
    ) as known`);
  const waiting = newIds.length - known;
  return { path, onServer: ids.length, taken, stuck, waiting, older: ids.length - taken - stuck - waiting };
}
