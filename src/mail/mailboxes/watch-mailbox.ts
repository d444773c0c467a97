import type { App } from '../../app.ts';
import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { isFree, leasedFor } from '../../ground/queue/lease.ts';
import type { ProviderAccount, Watch } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import type { ReasonKey } from '../providers/mailbox-reasons.ts';
import { followProfile } from './follow-profile.ts';
import { openAccount } from './open-account.ts';
import { findMailbox, type Mailbox } from './queries.ts';
import { renewalRestMs } from './renew-watches.ts';
import { noteReadFault } from './status/note-fault.ts';
import { changeState } from './status/write.ts';
import { type KnownWatch, listWatches, saveWatch, type Target, targetOf } from './watches.ts';

const refusedSeconds = 3600;
const notNotified: ReasonKey = 'not_notified';
/** While an admin may still be watching the status. Later, frequent attempts help nobody. */
const freshMs = 900_000;
/** Also rests after a success: a watch that is still due then would otherwise be asked for all the time. */
const restSecondsMin = { fresh: 60, later: 300 } as const;

/**
 * Makes and renews the provider's watches of a mailbox. Replaces watches that are missing, expired or have another
 * target. Mailboxes in error get their watches after they recover.
 */
export async function watchMailbox(app: App, named: MailboxKey): Promise<void> {
  const mailbox = await findMailbox(app.db, named);
  if (mailbox?.status !== 'active') return;
  if (!(await app.db.tx((tx) => beginWatching(tx, mailbox)))) return;
  const account = openAccount(app, mailbox);
  try {
    await keepAllWatching(app, await followProfile(app, mailbox, account), account);
    await app.db.tx((tx) => endWatching(tx, mailbox, { restSeconds: restSecondsMin.fresh, reason: null }));
  } catch (error) {
    const trouble = error instanceof ProviderFault ? error : undefined;
    await app.db.tx((tx) => noteTrouble(tx, mailbox, account, trouble));
    if (trouble === undefined) throw error;
    const { kind, code, message: reason } = trouble;
    app.log.warn({ ...named, kind, code, reason }, 'a mailbox could not be watched');
  }
}

/**
 * Makes or renews all watches at once, although an earlier fault asks to wait: a person wants to know whether it works
 * now. Throws a `ProviderFault`.
 */
export async function tryWatching(
  app: Pick<App, 'config' | 'db' | 'clock'>,
  mailbox: Mailbox,
  account: ProviderAccount,
): Promise<void> {
  await app.db.tx((tx) => beginWatching(tx, mailbox, { isWaiting: false }));
  try {
    await keepAllWatching(app, mailbox, account);
  } catch (error) {
    await app.db.tx((tx) => endWatching(tx, mailbox));
    throw error;
  }
  await app.db.tx((tx) => endWatching(tx, mailbox, { reason: null }));
}

/**
 * Only one of two processes continues, and nobody if the mailbox was paused, reconnected or disconnected meanwhile.
 * @param isWaiting whether to leave the mailbox alone during the lease of another, and during the rest after a fault
 */
export async function beginWatching(
  tx: Tx,
  { workspaceId, id, statusChangedAt }: Mailbox,
  { isWaiting = true }: { isWaiting?: boolean } = {},
): Promise<boolean> {
  const begun = await tx.run(sql`
    update mailboxes m set ${leasedFor('watch')}
    where workspace_id = ${workspaceId} and id = ${id} and status_changed_at = ${statusChangedAt}
      and (${!isWaiting} or ${isFree('watch', 'm')})`);
  return begun === 1;
}

/** @param reason a note for a mailbox that works nevertheless; undefined keeps the present note */
async function endWatching(
  tx: Tx,
  { workspaceId, id, statusChangedAt: since }: Mailbox,
  { restSeconds = 0, reason }: { restSeconds?: number; reason?: string | null } = {},
): Promise<void> {
  await tx.run(sql`
    update mailboxes set ${leasedFor('watch', restSeconds)}
    where workspace_id = ${workspaceId} and id = ${id}
      -- Otherwise somebody paused or reconnected the mailbox meanwhile, and it may be watched at once.
      and status_changed_at = ${since}`);
  if (reason === undefined) return;
  const why = { reason, reasonKey: reason === null ? null : notNotified };
  await changeState(tx, { workspaceId, mailboxId: id }, { kind: 'note', why }, { since });
}

/**
 * An `unauthorized` fault changes the mailbox's status. Other provider errors leave the mailbox active: syncs still
 * look for its mail every few minutes, and its watches are tried again later.
 * @param fault undefined when the fault is not the provider's
 */
async function noteTrouble(
  tx: Tx,
  mailbox: Mailbox,
  { watchKeys }: ProviderAccount,
  fault: ProviderFault | undefined,
): Promise<void> {
  const isFresh = tx.now.getTime() - Date.parse(mailbox.statusChangedAt) < freshMs;
  const leastSeconds = restSecondsMin[isFresh ? 'fresh' : 'later'];
  if (fault === undefined) return endWatching(tx, mailbox, { restSeconds: leastSeconds });
  const { workspaceId, id: mailboxId } = mailbox;
  const isPassing = fault.kind === 'throttled' || fault.kind === 'unavailable';
  if (fault.kind === 'unauthorized') {
    await endWatching(tx, mailbox);
    await noteReadFault(tx, mailbox, { fault, refusedSince: null });
    return;
  }
  const restSeconds = isPassing ? Math.max(leastSeconds, Math.ceil((fault.retryAfterMs ?? 0) / 1000)) : refusedSeconds;
  const live = (await listWatches(tx, { workspaceId, mailboxId })).filter(({ expiresAt }) => expiresAt > tx.now);
  const isTold = watchKeys.every((key) => live.some((watch) => watch.key === key));
  const reason = `New mail is only looked for every few minutes, as the provider does not tell of it. ${fault.message}`;
  await endWatching(tx, mailbox, isTold ? { restSeconds } : { restSeconds, reason });
}

async function keepAllWatching(
  app: Pick<App, 'config' | 'db' | 'clock'>,
  mailbox: Mailbox,
  account: ProviderAccount,
): Promise<void> {
  const target = targetOf(app.config, mailbox.provider);
  const known = await listWatches(app.db, { workspaceId: mailbox.workspaceId, mailboxId: mailbox.id });
  for (const key of account.watchKeys) {
    const now = app.clock.now();
    const watch = await keepWatching(account, target, { key, known: known.find((one) => one.key === key), now });
    if (watch === undefined) continue;
    // Saves each watch at once, so that a fault of the next watch does not lose it.
    const isWanted = await app.db.tx((tx) => saveWatch(tx, mailbox, watch, target));
    if (!isWanted) await account.stopWatch(watch);
  }
}

type Kept = { key: string; known: KnownWatch | undefined; now: Date };

/** @returns the new or renewed watch; undefined when it was renewed a short time ago */
async function keepWatching(
  account: ProviderAccount,
  target: Target,
  { key, known, now }: Kept,
): Promise<Watch | undefined> {
  if (known === undefined) return account.watch(key, target);
  if (known.expiresAt <= now || !known.targetHash.equals(target.hash)) {
    await endWatch(account, known);
    return account.watch(key, target);
  }
  if (now.getTime() - known.renewedAt.getTime() < renewalRestMs) return undefined;
  try {
    return await account.renewWatch(known, target);
  } catch (error) {
    if (error instanceof ProviderFault && error.kind === 'not-found') return account.watch(key, target);
    throw error;
  }
}

/**
 * Graph sometimes accepts a second subscription beside the first, and may list neither, so the old subscription is
 * deleted by its id. A fault here is ignored: the subscription expires within a week. Gmail's watches have no ids; a
 * new watch replaces the old watch.
 */
async function endWatch(account: ProviderAccount, known: KnownWatch): Promise<void> {
  if (known.subscriptionId === null) return;
  try {
    await account.stopWatch(known);
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
  }
}
