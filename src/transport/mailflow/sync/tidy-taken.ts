/** What becomes of taken mails on their server, if the mailbox's owner chose that. */
import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Queryable, Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { TakenMail } from '../../../mail/provider.ts';
import { ProviderFault } from '../../../mail/provider-fault.ts';
import type { ReasonKey } from '../../../mail/providers/mailbox-reasons.ts';
import type { MailboxReader } from './sync-fetch.ts';
import type { SyncLease } from './sync-lease.ts';

const pendingSeconds = 60;
/** Pauses after attempts that failed. Then the mails stay as they are. */
const restsSeconds = [60, 300, 1_800, 7_200, 21_600, 43_200];
const atOnceMax = 200;

/** Marks or moves the mails that are messages by now. A fault delays this, and never the reading. */
export async function tidyTaken({ account, db, lease, clock, log }: MailboxReader): Promise<void> {
  if (account.tidy === undefined) return;
  for (;;) {
    const due = await findDue(db, lease, clock.now());
    if (due.length === 0) return;
    const taken = due.filter(({ isTaken }) => isTaken);
    await db.tx((tx) =>
      postpone(
        tx,
        lease,
        due.filter(({ isTaken }) => !isTaken),
        pendingSeconds,
      ),
    );
    try {
      if (taken.length > 0) await account.tidy(taken);
      await db.tx((tx) => forget(tx, lease, taken));
    } catch (error) {
      if (!(error instanceof ProviderFault) || lease.signal.aborted) throw error;
      const { workspaceId, mailboxId } = lease;
      log.warn(
        { workspaceId, mailboxId, code: error.code },
        'taken mails could not be marked or moved on their server',
      );
      await db.tx((tx) => noteFault(tx, lease, taken, error));
      return;
    }
    if (due.length < atOnceMax) return;
  }
}

type Due = TakenMail & { isTaken: boolean; attempts: number };

function findDue(db: Queryable, { workspaceId, mailboxId }: MailboxKey, now: Date): Promise<Due[]> {
  return db.rows<Due>(sql`
    select a.provider_id as "providerId", a.rfc_message_id as "rfcMessageId", a.attempts,
      coalesce(r.state in ('ingested', 'duplicate') or r.message_id is not null, false) as "isTaken"
    from mailbox_after_intake a
    left join mailbox_mails h
      on h.workspace_id = ${workspaceId} and h.mailbox_id = ${mailboxId} and h.provider_id = a.provider_id
    left join raw_mails r on r.workspace_id = ${workspaceId} and r.id = h.raw_mail_id
    where a.workspace_id = ${workspaceId} and a.mailbox_id = ${mailboxId} and a.due_at <= ${now}
    order by a.due_at, a.provider_id
    limit ${atOnceMax}`);
}

type TidiedMail = Pick<Due, 'providerId'>;
const idsOf = (mails: readonly TidiedMail[]) => mails.map(({ providerId }) => providerId);

async function postpone(
  tx: Tx,
  { workspaceId, mailboxId }: MailboxKey,
  mails: readonly TidiedMail[],
  seconds: number,
): Promise<void> {
  await tx.run(sql`
    update mailbox_after_intake set due_at = ${tx.now}::timestamptz + make_interval(secs => ${seconds})
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${idsOf(mails)}::text[])`);
}

async function forget(tx: Tx, { workspaceId, mailboxId }: MailboxKey, mails: readonly TidiedMail[]): Promise<void> {
  await tx.run(sql`
    delete from mailbox_after_intake
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${idsOf(mails)}::text[])`);
}

/** The mails are tried again later, together, so that a server that refuses them is asked seldom. */
async function noteFault(tx: Tx, lease: SyncLease, mails: readonly Due[], { message }: ProviderFault): Promise<void> {
  const { workspaceId, mailboxId } = lease;
  await forget(
    tx,
    lease,
    mails.filter(({ attempts }) => attempts >= restsSeconds.length),
  );
  const dueAt = restsSeconds.map((seconds) => new Date(tx.now.getTime() + seconds * 1_000).toISOString());
  await tx.run(sql`
    update mailbox_after_intake
    set attempts = attempts + 1, due_at = (${dueAt}::timestamptz[])[attempts + 1]
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${idsOf(mails)}::text[])`);
  const remark = `Mail is taken, but cannot be marked or moved on the server: ${message}`;
  await tx.run(sql`
    update mailbox_syncs
    set remark = ${remark}, remark_key = ${'not_tidied' satisfies ReasonKey}, remarked_at = ${tx.now}
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
}
