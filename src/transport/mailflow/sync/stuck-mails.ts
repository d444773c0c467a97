import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Queryable, Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import type { FoundMail } from '../../../mail/provider.ts';

/** A mail that could not be fetched. */
export type StuckMail = FoundMail & {
  /** Null: the provider does not have the mail, or does not show it yet. */
  fault: string | null;
  /** The earlier attempts; null for the first. */
  tries: Tries | null;
};

type Tries = { fault: string | null; attempts: number };

/** The number of mails retried at a time. */
export const dueMax = 100;
/**
 * Providers name mail seconds, sometimes minutes, before it can be read. A mail that is still missing after these
 * delays was deleted.
 */
const missingDelaysSeconds = [2, 10, 60, 600];
const firstDelaySeconds = 60;
const delaySecondsMax = 86_400;

/** The mails that are due for a retry. */
export async function findDue(db: Queryable, { workspaceId, mailboxId }: MailboxKey, now: Date): Promise<FoundMail[]> {
  const rows = await db.rows<FoundMail & { isNamedAlone: boolean }>(sql`
    select provider_id as "providerId", folder, fault is null as "isNamedAlone"
    from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and next_attempt_at <= ${now}
    order by next_attempt_at
    limit ${dueMax}`);
  return rows.map(({ isNamedAlone, ...mail }) => (isNamedAlone ? { ...mail, isCandidate: true } : mail));
}

/** Finds which of the mails were set aside before, by id. */
export async function findSetAside(
  db: Queryable,
  { workspaceId, mailboxId }: MailboxKey,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<Map<string, { tries: Tries; isWaiting: boolean }>> {
  const rows = await db.rows<Tries & { providerId: string; isWaiting: boolean }>(sql`
    select provider_id as "providerId", fault, attempts, next_attempt_at > ${now} as "isWaiting"
    from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${ids}::text[])`);
  return new Map(rows.map(({ providerId, isWaiting, ...tries }) => [providerId, { tries, isWaiting }]));
}

/**
 * Sets mails aside, so that the others continue without them.
 * @returns the mails that are missing for good, which it forgets
 */
export async function setAside(
  tx: Tx,
  { workspaceId, mailboxId }: MailboxKey,
  stuck: readonly StuckMail[],
): Promise<FoundMail[]> {
  const tried = stuck.map((mail) => ({ mail, attempts: attemptsOf(mail) }));
  const kept = tried.flatMap(({ mail, attempts }) => {
    const delaySeconds = delaySecondsOf(mail, attempts);
    return delaySeconds === undefined ? [] : [{ ...mail, attempts, delaySeconds }];
  });
  const keptIds = new Set(kept.map(({ providerId }) => providerId));
  const forgotten = stuck.filter(({ providerId }) => !keptIds.has(providerId));
  await tx.run(sql`
    insert into mailbox_stuck_mails (workspace_id, mailbox_id, provider_id, folder, fault, attempts, next_attempt_at)
    select ${workspaceId}, ${mailboxId}, s.provider_id, s.folder, s.fault, s.attempts,
      ${tx.now}::timestamptz + make_interval(secs => s.delay_seconds)
    from unnest(${kept.map(({ providerId }) => providerId)}::text[], ${kept.map(({ folder }) => folder)}::text[],
      ${kept.map(({ fault }) => fault)}::text[], ${kept.map(({ attempts }) => attempts)}::integer[],
      ${kept.map(({ delaySeconds }) => delaySeconds)}::float8[])
      s (provider_id, folder, fault, attempts, delay_seconds)
    on conflict (workspace_id, mailbox_id, provider_id) do update
    set fault = excluded.fault, attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at`);
  await forgetSettled(tx, { workspaceId, mailboxId }, forgotten);
  return forgotten;
}

/** Counts successive attempts that failed in the same way. */
function attemptsOf({ fault, tries }: StuckMail): number {
  const isAsBefore = tries !== null && (tries.fault === null) === (fault === null);
  return isAsBefore ? tries.attempts + 1 : 1;
}

/** @returns undefined when another attempt is not worthwhile */
function delaySecondsOf({ fault }: StuckMail, attempts: number): number | undefined {
  if (fault === null) return missingDelaysSeconds[attempts - 1];
  return Math.min(delaySecondsMax, firstDelaySeconds * 2 ** Math.min(attempts - 1, 20));
}

/** Forgets mails that were fetched or are not wanted. With `dueAt`, forgets only mails that are due by then. */
export async function forgetSettled(
  tx: Tx,
  { workspaceId, mailboxId }: MailboxKey,
  settled: readonly Pick<FoundMail, 'providerId'>[],
  dueAt: Date | null = null,
): Promise<void> {
  await tx.run(sql`
    delete from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
      and provider_id = any(${settled.map(({ providerId }) => providerId)}::text[])
      and (${dueAt}::timestamptz is null or next_attempt_at <= ${dueAt}::timestamptz)`);
}

/** A mail that a notification names. */
export type NamedMail = FoundMail & MailboxKey;

/** Makes the next sync of their mailboxes fetch the mails, unless they are known by then. May share a round trip. */
export async function addCandidates(tx: Tx, named: readonly NamedMail[]): Promise<void> {
  const inOrder = named.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  await tx.run(sql`
    insert into mailbox_stuck_mails (workspace_id, mailbox_id, provider_id, folder, fault, attempts, next_attempt_at)
    select n.workspace_id, n.mailbox_id, n.provider_id, n.folder, null, 0, ${tx.now}
    from unnest(
        ${inOrder.map(({ workspaceId }) => workspaceId)}::uuid[], ${inOrder.map(({ mailboxId }) => mailboxId)}::uuid[],
        ${inOrder.map(({ providerId }) => providerId)}::text[], ${inOrder.map(({ folder }) => folder)}::text[]
      ) n (workspace_id, mailbox_id, provider_id, folder)
    on conflict do nothing`);
}

/** One lock order for all transactions, so that two that write the same rows cannot deadlock. */
function keyOf({ mailboxId, providerId }: NamedMail): string {
  return `${mailboxId} ${providerId}`;
}

/** Makes the next sync fetch mails of mailboxes again, as if they were new. */
export async function fetchAgain(tx: Tx, workspaceId: WorkspaceId, rawMailIds: readonly string[]): Promise<void> {
  const places = await tx.rows<FoundMail & { mailboxId: string }>(sql`
    delete from mailbox_mails
    where workspace_id = ${workspaceId} and raw_mail_id = any(${rawMailIds}::uuid[])
    returning mailbox_id as "mailboxId", provider_id as "providerId", folder`);
  await tx.run(sql`
    insert into mailbox_stuck_mails (workspace_id, mailbox_id, provider_id, folder, fault, attempts, next_attempt_at)
    select ${workspaceId}, p.mailbox_id, p.provider_id, p.folder, 'bytes_lost', 0, ${tx.now}
    from unnest(
        ${places.map(({ mailboxId }) => mailboxId)}::uuid[], ${places.map(({ providerId }) => providerId)}::text[],
        ${places.map(({ folder }) => folder)}::text[]
      ) p (mailbox_id, provider_id, folder)
    on conflict do nothing`);
}
