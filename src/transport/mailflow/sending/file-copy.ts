import type { Db, Queryable, Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { MessageId, WorkspaceId } from '../../../ground/lib/ids.ts';
import type { Logger } from '../../../ground/platform/log.ts';
import type { DueRow, DueScope } from '../../../ground/queue/due-work.ts';
import { type AccountParts, openAccount } from '../../../mail/mailboxes/open-account.ts';
import { findMailbox } from '../../../mail/mailboxes/queries.ts';
import type { UnfiledCopy } from '../../../mail/provider.ts';
import { ProviderFault } from '../../../mail/provider-fault.ts';

/**
 * When we look for the copy that a server may file itself, in seconds after the mail left. After the last look we file
 * it.
 */
const looksAfterSeconds = [5, 15, 60];
/** Longer than one attempt takes: work at an IMAP server is given up after ten minutes. */
const claimSeconds = 900;
/** Servers allow few connections to one mailbox, so one copy after the other is filed there. */
const busySeconds = 2;
const busyMailboxes = new Set<string>();
/** Pauses after attempts that failed. Then the copy is given up: the mail itself has left. */
const restsSeconds = [60, 300, 1_800, 7_200, 21_600, 43_200];
const inactiveRestSeconds = 3_600;

type CopyKey = { workspaceId: WorkspaceId; messageId: MessageId };

/** Keeps the copy of an answer in the commit that says that the answer left. May share a round trip. */
export async function keepUnfiled(
  tx: Tx,
  { workspaceId, messageId, mailboxId }: CopyKey & { mailboxId: string },
  { rfcMessageId, raw, mayBeFiledBy }: UnfiledCopy,
): Promise<void> {
  const waitSeconds = mayBeFiledBy === 'server' ? (looksAfterSeconds[0] ?? 0) : 0;
  tx.touch(workspaceId);
  await tx.run(sql`
    insert into unfiled_copies (workspace_id, message_id, mailbox_id, rfc_message_id, raw, due_at)
    values (${workspaceId}, ${messageId}, ${mailboxId}, ${rfcMessageId}, ${raw},
      ${tx.now}::timestamptz + make_interval(secs => ${waitSeconds}))
    on conflict do nothing`);
}

export function listUnfiled(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select c.workspace_id as "workspaceId", c.message_id as id
    from unfiled_copies c
    where c.due_at <= ${now} ${within(sql`c.workspace_id`)} ${except(sql`c.message_id`)}
    order by c.due_at
    limit ${rowsMax}`);
}

type Unfiled = { mailboxId: string; rfcMessageId: string; raw: Buffer; attempts: number };

/** Files a copy once: it looks for the copy before each attempt, because an earlier attempt may have been cut off. */
export async function fileCopy(parts: AccountParts & { db: Db; log: Logger }, key: CopyKey): Promise<void> {
  const { db, log } = parts;
  const copy = await db.tx((tx) => claim(tx, key));
  if (copy === undefined) return;
  const { mailboxId, attempts } = copy;
  const mailbox = await findMailbox(db, { workspaceId: key.workspaceId, mailboxId });
  if (mailbox === undefined || mailbox.status === 'disconnected') return db.tx((tx) => forget(tx, key));
  if (mailbox.status !== 'active') return db.tx((tx) => postpone(tx, key, attempts, inactiveRestSeconds));
  if (busyMailboxes.has(mailboxId)) return db.tx((tx) => postpone(tx, key, attempts, busySeconds));
  const isLastLook = attempts + 1 >= looksAfterSeconds.length;
  busyMailboxes.add(mailboxId);
  const done = new AbortController();
  try {
    const account = openAccount(parts, mailbox, done.signal);
    if (await account.fileCopy(copy, { isLastLook })) return await db.tx((tx) => forget(tx, key));
    const [last = 0, next = last] = looksAfterSeconds.slice(attempts, attempts + 2);
    await db.tx((tx) => postpone(tx, key, attempts + 1, next - last));
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    // The server says nothing of the copy.
    if (error.kind === 'throttled') return await db.tx((tx) => postpone(tx, key, attempts, restOf(error)));
    const failed = Math.max(0, attempts - looksAfterSeconds.length);
    const restSeconds = restsSeconds[failed];
    const { code, message: reason } = error;
    log.warn({ ...key, mailboxId, code, reason, restSeconds }, 'the copy of a sent answer could not be filed');
    await db.tx((tx) =>
      restSeconds === undefined
        ? forget(tx, key)
        : postpone(tx, key, Math.max(attempts, looksAfterSeconds.length) + 1, restSeconds),
    );
  } finally {
    busyMailboxes.delete(mailboxId);
    // Closes the connection now: it would stay open for a moment in case of more work.
    done.abort();
  }
}

function restOf({ retryAfterMs }: ProviderFault): number {
  return retryAfterMs === null ? inactiveRestSeconds : Math.ceil(retryAfterMs / 1_000);
}

/** @returns undefined if another process has it */
async function claim(tx: Tx, { workspaceId, messageId }: CopyKey): Promise<Unfiled | undefined> {
  return tx.maybe<Unfiled>(sql`
    update unfiled_copies set due_at = ${tx.now}::timestamptz + make_interval(secs => ${claimSeconds})
    where workspace_id = ${workspaceId} and message_id = ${messageId} and due_at <= ${tx.now}
    returning mailbox_id as "mailboxId", rfc_message_id as "rfcMessageId", raw, attempts`);
}

async function postpone(tx: Tx, { workspaceId, messageId }: CopyKey, attempts: number, seconds: number): Promise<void> {
  await tx.run(sql`
    update unfiled_copies
    set attempts = ${attempts}, due_at = ${tx.now}::timestamptz + make_interval(secs => ${seconds})
    where workspace_id = ${workspaceId} and message_id = ${messageId}`);
}

async function forget(tx: Tx, { workspaceId, messageId }: CopyKey): Promise<void> {
  await tx.run(sql`delete from unfiled_copies where workspace_id = ${workspaceId} and message_id = ${messageId}`);
}
