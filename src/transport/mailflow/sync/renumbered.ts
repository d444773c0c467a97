/** Mailboxes whose server numbered their mails anew. */
import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Queryable, Tx } from '../../../ground/database/db.ts';
import { type Sql, sql } from '../../../ground/database/sql.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import { type Held, writeHeld } from '../../../ground/queue/lease.ts';
import { mailIdKey } from '../../../helpdesk/messages/mail-ids.ts';
import type { FoundMail } from '../../../mail/provider.ts';
import { liveFromOf, type MailboxReader } from './sync-fetch.ts';

/** People hardly write more mails at once while a server moves. */
const unknownMax = 100;
const remarkDays = 7;

/**
 * Looks how many of the mails that would count as new are unknown, before any is taken. Where they are many, a server
 * was moved or old mail was put back.
 */
export async function areManyUnknown({ account, db, lease, mailbox }: MailboxReader): Promise<boolean> {
  const since = new Date(liveFromOf(mailbox));
  let unknown = -(await countPending(db, lease));
  for (let page: string | null = ''; page !== null; ) {
    const listed: Awaited<ReturnType<typeof account.history>> = await account.history(since, page, {
      hasArchive: true,
    });
    unknown += await countUnknown(db, lease.workspaceId, listed.found);
    if (unknown > unknownMax) return true;
    page = listed.next;
  }
  return false;
}

/** Mails that are taken, and are no messages yet. */
async function countPending(db: Queryable, { workspaceId, mailboxId }: MailboxKey): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) from raw_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and state = 'pending'`);
  return count;
}

async function countUnknown(db: Queryable, workspaceId: WorkspaceId, found: readonly FoundMail[]): Promise<number> {
  const keys = found.flatMap(({ rfcMessageId }) => (rfcMessageId == null ? [] : [mailIdKey(rfcMessageId)]));
  const { known } = await db.one<{ known: number }>(sql`
    select count(*) as known
    from unnest(${keys}::text[]) k (key)
    join mail_ids i on i.workspace_id = ${workspaceId} and i.rfc_message_id = k.key and i.message_id is not null`);
  return found.length - known;
}

/** Makes what arrived so far history, which tells nobody and answers nobody. */
export async function makeHistory(tx: Tx, lease: Held): Promise<void> {
  const remark =
    `The server has numbered its mails anew, and more than ${unknownMax} of them were unknown: they were taken as ` +
    'old mail, of which nobody is told. Look through the tickets that came with them.';
  await writeHeld(tx, 'sync', lease, sql`recheck_history_until = ${tx.now}, ${remarked(remark, tx.now)}`);
}

/** Says that many mails came to the inbox late, and that their tickets are closed. */
export async function remarkMany(tx: Tx, lease: Held): Promise<void> {
  const remark =
    `More than ${unknownMax} mails came to the inbox at once that had arrived more than a day before: they were ` +
    'taken as old mail. Nobody is told of them, and their tickets are closed.';
  await writeHeld(tx, 'sync', lease, remarked(remark, tx.now));
}

const remarked = (remark: string, now: Date): Sql => sql`remark = ${remark}, remark_key = null, remarked_at = ${now}`;

/** Ends a remark after some days. */
export async function forgetRemark(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<void> {
  await tx.run(sql`
    update mailbox_syncs set remark = null, remark_key = null, remarked_at = null
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
      and remarked_at < ${new Date(tx.now.getTime() - remarkDays * 86_400_000)}`);
}
