import type { WorkspaceId } from '../lib/ids.ts';
import type { FoundMail } from '../mail/provider.ts';
import type { Queryable, Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { SyncLease } from './sync-lease.ts';

type Named = Pick<SyncLease, 'workspaceId' | 'mailboxId'>;

/** A mail that was not had when it was asked for. */
export type StuckMail = FoundMail & {
  /** Null: the provider does not have it, or does not show it yet. */
  fault: string | null;
  /** How it went before; null where it was not asked for before. */
  tries: Tries | null;
};

type Tries = { fault: string | null; attempts: number };

/** At a time. */
export const dueMax = 100;
/** Providers name mail seconds, at times minutes, before it can be read. What is not there by then was thrown away. */
const missingDelaysSeconds = [2, 10, 60, 600];
const firstDelaySeconds = 60;
const delaySecondsMax = 86_400;

/** Mails whose time has come. */
export async function findDue(db: Queryable, { workspaceId, mailboxId }: Named, now: Date): Promise<FoundMail[]> {
  const rows = await db.rows<FoundMail & { isNamedAlone: boolean }>(sql`
    select provider_id as "providerId", folder, fault is null as "isNamedAlone"
    from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and next_attempt_at <= ${now}
    order by next_attempt_at
    limit ${dueMax}`);
  return rows.map(({ isNamedAlone, ...mail }) => (isNamedAlone ? { ...mail, isCandidate: true } : mail));
}

/** @returns when the next one's time comes */
export async function findNextRetry(db: Queryable, { workspaceId, mailboxId }: Named): Promise<string | null> {
  const next = await db.maybe<{ at: string }>(sql`
    select next_attempt_at as at
    from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
    order by next_attempt_at
    limit 1`);
  return next?.at ?? null;
}

/** Those of the mails that were not had before, by id. */
export async function findSetAside(
  db: Queryable,
  { workspaceId, mailboxId }: Named,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<Map<string, { tries: Tries; isWaiting: boolean }>> {
  const rows = await db.rows<Tries & { providerId: string; isWaiting: boolean }>(sql`
    select provider_id as "providerId", fault, attempts, next_attempt_at > ${now} as "isWaiting"
    from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${ids}::text[])`);
  return new Map(rows.map(({ providerId, isWaiting, ...tries }) => [providerId, { tries, isWaiting }]));
}

/** Puts mails aside: the others go on without them. @returns those that are forgotten, as they are not there */
export async function setAside(
  tx: Tx,
  { workspaceId, mailboxId }: Named,
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
      ${kept.map(({ delaySeconds }) => delaySeconds)}::float8[]) s (provider_id, folder, fault, attempts, delay_seconds)
    on conflict (workspace_id, mailbox_id, provider_id) do update
    set fault = excluded.fault, attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at`);
  await forgetSettled(tx, { workspaceId, mailboxId }, forgotten);
  return forgotten;
}

/** Of the same kind in a row. */
function attemptsOf({ fault, tries }: StuckMail): number {
  const isAsBefore = tries !== null && (tries.fault === null) === (fault === null);
  return isAsBefore ? tries.attempts + 1 : 1;
}

/** @returns undefined where it is not worth to ask again */
function delaySecondsOf({ fault }: StuckMail, attempts: number): number | undefined {
  if (fault === null) return missingDelaysSeconds[attempts - 1];
  return Math.min(delaySecondsMax, firstDelaySeconds * 2 ** Math.min(attempts - 1, 20));
}

/** Forgets mails that were had, or are of no use; with a time, only those of them whose time has come. */
export async function forgetSettled(
  tx: Tx,
  { workspaceId, mailboxId }: Named,
  settled: readonly Pick<FoundMail, 'providerId'>[],
  dueAt: Date | null = null,
): Promise<void> {
  await tx.run(sql`
    delete from mailbox_stuck_mails
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
      and provider_id = any(${settled.map(({ providerId }) => providerId)}::text[])
      and (${dueAt}::timestamptz is null or next_attempt_at <= ${dueAt}::timestamptz)`);
}

/** A mail that a provider named while it told of something. */
export type NamedMail = FoundMail & { workspaceId: string; mailboxId: string };

/** Has mails fetched by the next sync of their mailboxes, unless they are known by then. May be sent along with others. */
export async function addCandidates(tx: Tx, named: readonly NamedMail[]): Promise<void> {
  const inOrder = named.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  await tx.run(sql`
    insert into mailbox_stuck_mails (workspace_id, mailbox_id, provider_id, folder, fault, attempts, next_attempt_at)
    select n.workspace_id, n.mailbox_id, n.provider_id, n.folder, null, 0, ${tx.now}
    from unnest(${inOrder.map(({ workspaceId }) => workspaceId)}::uuid[], ${inOrder.map(({ mailboxId }) => mailboxId)}::uuid[],
      ${inOrder.map(({ providerId }) => providerId)}::text[], ${inOrder.map(({ folder }) => folder)}::text[])
      n (workspace_id, mailbox_id, provider_id, folder)
    on conflict do nothing`);
}

/** In one order everywhere: of two transactions that write the same rows one waits for the other, and never crosswise. */
function keyOf({ mailboxId, providerId }: NamedMail): string {
  return `${mailboxId} ${providerId}`;
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
