import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Queryable } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { FolderCount } from '../../provider.ts';
import type { AccountParts } from '../open-account.ts';
import { findMailbox } from '../queries.ts';
import { asServerFault } from './ask-servers.ts';
import { serverAccess } from './servers.ts';
import { countSignIn } from './sign-ins.ts';

/** How much of a folder's mail was taken. The parts add up to `onServer`. */
export type FolderIntake = {
  path: string;
  onServer: number;
  taken: number;
  stuck: number;
  waiting: number;
  skipped: number;
  older: number;
  /** When the oldest mail arrived that is stuck or waits. */
  oldestUntakenAt: string | null;
};

/**
 * Compares the folders on the server with the mails that were taken from them. Empty for a provider that lists no
 * folders. Throws 404, 429 after refused passwords, and as `asServerFault`.
 */
export async function readIntake(parts: AccountParts, key: MailboxKey): Promise<FolderIntake[]> {
  const mailbox = await findMailbox(parts.db, key);
  if (mailbox === undefined || mailbox.status === 'disconnected') throw new AppError('mailbox.not_found');
  const provider = parts.providers[mailbox.provider];
  if (provider.auth !== 'password') return [];
  const done = new AbortController();
  try {
    const cursor = await findCursor(parts.db, key);
    const access = serverAccess(parts, mailbox, done.signal);
    const { workspaceId } = key;
    return await countSignIn(parts, { workspaceId, ...(await access.server()) }, async () => {
      const folders: FolderIntake[] = [];
      for (const count of await provider.countMails(access, cursor)) {
        const { untakenIds, ...intake } = await compare(parts.db, key, count);
        const oldest = untakenIds.length === 0 ? null : await provider.oldestOf(access, untakenIds);
        folders.push({ ...intake, oldestUntakenAt: oldest?.toISOString() ?? null });
      }
      return folders;
    });
  } catch (error) {
    throw asServerFault(error);
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
  { path, ids, newIds, unwantedIds }: FolderCount,
): Promise<Omit<FolderIntake, 'oldestUntakenAt'> & { untakenIds: string[] }> {
  const { taken } = await db.one<{ taken: number }>(sql`
    select count(*) as taken from mailbox_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${ids}::text[])`);
  const known = await db.rows<{ id: string; isStuck: boolean }>(sql`
    select provider_id as id, false as "isStuck" from mailbox_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
      and provider_id = any(${[...newIds, ...unwantedIds]}::text[])
    union all
    select provider_id, true from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${ids}::text[])`);
  const knownIds = new Set(known.map(({ id }) => id));
  const stuckIds = known.flatMap(({ id, isStuck }) => (isStuck ? [id] : []));
  const skippedIds = new Set(unwantedIds.filter((id) => !knownIds.has(id)));
  const waitingIds = newIds.filter((id) => !knownIds.has(id) && !skippedIds.has(id));
  const [onServer, stuck, waiting, skipped] = [ids.length, stuckIds.length, waitingIds.length, skippedIds.size];
  const older = Math.max(0, onServer - taken - stuck - waiting - skipped);
  return { path, onServer, taken, stuck, waiting, skipped, older, untakenIds: [...stuckIds, ...waitingIds] };
}
