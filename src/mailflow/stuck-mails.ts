import type { WorkspaceId } from '../lib/ids.ts';
import type { FoundMail } from '../mail/provider.ts';
import type { Queryable, Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { SyncLease } from './sync-lease.ts';

type Named = Pick<SyncLease, 'workspaceId' | 'mailboxId'>;

/** A mail, and what kept it from being fetched. */
export type StuckMail = FoundMail & { fault: string };

const dueMax = 20;
const firstDelaySeconds = 60;
const delaySecondsMax = 86_400;

/** Mails that could not be fetched, whose time has come again. */
export function findDue(db: Queryable, { workspaceId, mailboxId }: Named, now: Date): Promise<FoundMail[]> {
  return db.rows<FoundMail>(sql`
    select provider_id as "providerId", folder
    from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and next_attempt_at <= ${now}
    order by next_attempt_at
    limit ${dueMax}`);
}

/** Puts a mail aside that cannot be fetched: the others go on without it. */
export async function setAside(tx: Tx, { workspaceId, mailboxId }: Named, stuck: readonly StuckMail[]): Promise<void> {
  await tx.run(sql`
    insert into mailbox_stuck_mails (workspace_id, mailbox_id, provider_id, folder, fault, attempts, next_attempt_at)
    select ${workspaceId}, ${mailboxId}, s.provider_id, s.folder, s.fault, 1,
      ${tx.now}::timestamptz + make_interval(secs => ${firstDelaySeconds})
    from unnest(${stuck.map(({ providerId }) => providerId)}::text[], ${stuck.map(({ folder }) => folder)}::text[],
      ${stuck.map(({ fault }) => fault)}::text[]) s (provider_id, folder, fault)
    on conflict (workspace_id, mailbox_id, provider_id) do update
    set fault = excluded.fault, attempts = mailbox_stuck_mails.attempts + 1,
      next_attempt_at = ${tx.now}::timestamptz + make_interval(secs => least(${delaySecondsMax}::float8,
        ${firstDelaySeconds}::float8 * power(2, least(mailbox_stuck_mails.attempts, 20))))`);
}

/** Forgets those of them that were fetched by now, or are gone: the others have a later time. */
export async function forgetSettled(
  tx: Tx,
  { workspaceId, mailboxId }: Named,
  due: readonly FoundMail[],
): Promise<void> {
  await tx.run(sql`
    delete from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and next_attempt_at <= ${tx.now}
      and provider_id = any(${due.map(({ providerId }) => providerId)}::text[])`);
}

/** Has mails of mailboxes fetched once more by the next sync, as if they had never been. */
export async function fetchAgain(tx: Tx, workspaceId: WorkspaceId, rawMailIds: readonly string[]): Promise<void> {
  const places = await tx.rows<FoundMail & { mailboxId: string }>(sql`
    delete from mailbox_mails
    where workspace_id = ${workspaceId} and raw_mail_id = any(${rawMailIds}::uuid[])
    returning mailbox_id as "mailboxId", provider_id as "providerId", folder`);
  await tx.run(sql`
    insert into mailbox_stuck_mails (workspace_id, mailbox_id, provider_id, folder, fault, attempts, next_attempt_at)
    select ${workspaceId}, p.mailbox_id, p.provider_id, p.folder, 'bytes_lost', 0, ${tx.now}
    from unnest(${places.map(({ mailboxId }) => mailboxId)}::uuid[], ${places.map(({ providerId }) => providerId)}::text[],
      ${places.map(({ folder }) => folder)}::text[]) p (mailbox_id, provider_id, folder)
    on conflict do nothing`);
}
