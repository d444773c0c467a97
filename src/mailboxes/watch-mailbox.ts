import type { App } from '../app.ts';
import type { Jobs } from '../catalog/jobs.ts';
import { type ProviderAccount, ProviderFault, type Watch } from '../mail/provider.ts';
import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { enqueueAllOf, enqueueWatch } from './enqueue-sync.ts';
import { noteFault } from './note-fault.ts';
import { openAccount } from './open-account.ts';
import { findMailbox, type Mailbox } from './queries.ts';
import { type KnownWatch, listWatches, saveWatch, type Target, targetOf } from './watches.ts';

/** Longer than all that is asked of the provider here may take. */
const leaseSeconds = 300;
const refusedSeconds = 3600;
/** Graph asks over and over that a subscription be renewed, and allows that once in so long. */
const renewalRestMs = 600_000;

/**
 * Sees to it that the provider tells us of a mailbox's mail: begins what does not watch yet, or no longer, or would tell
 * elsewhere; renews the rest. A mailbox that is in error is tried, and is active again where the provider lets us in.
 */
export async function watchMailbox(app: App, named: Jobs['mailbox.watch']): Promise<void> {
  const mailbox = await findMailbox(app.db, named);
  if (mailbox === undefined || (mailbox.status !== 'active' && mailbox.status !== 'error')) return;
  if (!(await app.db.tx((tx) => beginWatching(tx, mailbox)))) return;
  try {
    const account = openAccount(app, mailbox);
    if (mailbox.status === 'error') {
      await account.profile();
      await app.db.tx((tx) => noteRecovery(tx, mailbox));
    } else {
      await keepAllWatching(app, mailbox, account);
      await app.db.tx((tx) => endWatching(tx, mailbox, { reason: null }));
    }
  } catch (error) {
    const isOver = await app.db.tx((tx) => noteTrouble(tx, mailbox, error));
    if (!isOver || !(error instanceof ProviderFault)) throw error;
    const { kind, code, message: reason } = error;
    app.log.warn({ ...named, kind, code, reason }, 'a mailbox could not be watched');
  }
}

/** Of two jobs for a mailbox one goes on: what the other was asked for is done by then, or by the next sweep. */
async function beginWatching(tx: Tx, { workspaceId, id }: Mailbox): Promise<boolean> {
  const begun = await tx.run(sql`
    update mailboxes set watch_until = now() + make_interval(secs => ${leaseSeconds})
    where workspace_id = ${workspaceId} and id = ${id} and coalesce(watch_until < now(), true)`);
  return begun === 1;
}

/** @param reason what is to be known of a mailbox that works all the same; left out: what was */
async function endWatching(
  tx: Tx,
  { workspaceId, id, statusChangedAt }: Mailbox,
  { restSeconds = 0, reason }: { restSeconds?: number; reason?: string | null } = {},
): Promise<void> {
  const isTold = reason !== undefined;
  await tx.run(sql`
    update mailboxes
    set watch_until = now() + make_interval(secs => ${restSeconds}),
      status_reason = case when ${isTold} and status = 'active' then ${reason ?? null}::text else status_reason end
    where workspace_id = ${workspaceId} and id = ${id}
      -- Else it was paused or connected anew meanwhile, and may be watched at once.
      and status_changed_at = ${statusChangedAt}`);
}

/** Whoever administers the provider's side, or ours, has mended it; the jobs of a mailbox that works do the rest. */
async function noteRecovery(tx: Tx, { workspaceId, id, statusChangedAt }: Mailbox): Promise<void> {
  const recovered = await tx.run(sql`
    update mailboxes
    set status = 'active', status_reason = null, status_changed_at = ${tx.now}, watch_until = null, updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${id} and status_changed_at = ${statusChangedAt}`);
  if (recovered === 1) await enqueueAllOf(tx, { workspaceId, mailboxId: id });
}

/**
 * What concerns the access concerns the mailbox. Whatever else the provider minds is not its to suffer from: its mail is
 * still looked for every few minutes, and the provider asked again in an hour.
 * @returns whether nothing is left for the job to try
 */
async function noteTrouble(tx: Tx, mailbox: Mailbox, error: unknown): Promise<boolean> {
  const { workspaceId, id: mailboxId } = mailbox;
  if (!(error instanceof ProviderFault) || error.kind === 'unavailable') {
    await endWatching(tx, mailbox);
    return false;
  }
  if (error.kind === 'throttled') {
    await endWatching(tx, mailbox);
    const waitMs = error.retryAfterMs ?? 60_000;
    await enqueueWatch(tx, { workspaceId, mailboxId }, new Date(tx.now.getTime() + waitMs));
  } else if (error.kind === 'unauthorized' || mailbox.status === 'error') {
    await endWatching(tx, mailbox);
    await noteFault(tx, mailbox, error);
  } else {
    const reason = `New mail is only looked for every few minutes, as the provider does not tell of it. ${error.message}`;
    await endWatching(tx, mailbox, { restSeconds: refusedSeconds, reason });
  }
  return true;
}

async function keepAllWatching(app: App, mailbox: Mailbox, account: ProviderAccount): Promise<void> {
  const target = targetOf(app.config, mailbox.provider);
  const known = await listWatches(app.db, { workspaceId: mailbox.workspaceId, mailboxId: mailbox.id });
  for (const key of account.watchKeys) {
    const now = app.clock.now();
    const watch = await keepWatching(account, target, { key, known: known.find((one) => one.key === key), now });
    if (watch === undefined) continue;
    // One by one: what was made is known, whatever becomes of the next.
    const isWanted = await app.db.tx((tx) => saveWatch(tx, mailbox, watch, target));
    if (!isWanted) await account.stopWatch(watch);
  }
}

type Kept = { key: string; known: KnownWatch | undefined; now: Date };

/** @returns what watches now; undefined when that has just been seen to */
async function keepWatching(
  account: ProviderAccount,
  target: Target,
  { key, known, now }: Kept,
): Promise<Watch | undefined> {
  if (known === undefined || known.expiresAt <= now || !known.targetHash.equals(target.hash))
    return account.watch(key, target);
  if (now.getTime() - known.renewedAt.getTime() < renewalRestMs) return undefined;
  try {
    return await account.renewWatch(known, target);
  } catch (error) {
    if (error instanceof ProviderFault && error.kind === 'not-found') return account.watch(key, target);
    throw error;
  }
}
