import type { App } from '../../app.ts';
import type { MailboxKey } from '../../catalog/jobs.ts';
import { ProviderFault } from '../../mail/provider.ts';
import { enqueueSync } from '../../mailboxes/enqueue-sync.ts';
import { noteReadFault, noteReadRecovery } from '../../mailboxes/note-fault.ts';
import { openAccount } from '../../mailboxes/open-account.ts';
import { findMailbox, type Mailbox } from '../../mailboxes/queries.ts';
import { faultName } from '../mail-faults.ts';
import { type SyncLease, takeLease } from './sync-lease.ts';
import { findProgress, LeaseLost, noteFailure } from './sync-progress.ts';
import { readMailbox } from './sync-round.ts';

/**
 * Fetches a mailbox's new mail, one process at a time. A second process asks the first for another round. Throws when
 * the provider is out of reach: the queue retries.
 */
export async function syncMailbox(app: App, named: MailboxKey): Promise<void> {
  const lease = await takeLease(app.db, named);
  if (lease === undefined) return;
  try {
    // `release` returns false when somebody asked meanwhile: the lease continues.
    while ((await readOnce(app, lease)) && !(await lease.release()));
  } finally {
    // If the database is away, the lease expires by itself.
    await lease.end().catch((err) => app.log.warn({ err, ...named }, 'the lease of a mailbox could not be given back'));
  }
}

/** Returns the mailbox if it may be read now. If it must rest, queues a sync for later. */
async function findReadable(app: App, named: MailboxKey): Promise<{ mailbox: Mailbox; failures: number } | undefined> {
  const [mailbox, progress] = await Promise.all([findMailbox(app.db, named), findProgress(app.db, named)]);
  if (mailbox === undefined || !isRead(mailbox) || progress === undefined) return undefined;
  const { failures, notBefore } = progress;
  if (notBefore === null || Date.parse(notBefore) <= app.clock.now().getTime()) return { mailbox, failures };
  await app.db.tx((tx) => enqueueSync(tx, named, new Date(notBefore)));
  return undefined;
}

/** A mailbox in error is read on its retry schedule, and whenever the provider notifies of new mail. */
function isRead({ status }: Mailbox): boolean {
  return status === 'active' || status === 'error';
}

/** @returns whether the round succeeded and nothing is left */
async function readOnce(app: App, lease: SyncLease): Promise<boolean> {
  const readable = await findReadable(app, lease);
  if (readable === undefined) return false;
  const { mailbox } = readable;
  const account = openAccount(app, mailbox, lease.signal);
  try {
    const isMoreLeft = await readMailbox({ ...app, ...readable, account, lease });
    if (mailbox.status === 'error') await app.db.tx((tx) => noteReadRecovery(tx, mailbox));
    // A new job continues, so that a stopping worker need not wait for all of it.
    if (isMoreLeft) await app.db.tx((tx) => enqueueSync(tx, lease));
    return !isMoreLeft;
  } catch (error) {
    const { workspaceId, mailboxId } = lease;
    if (error instanceof LeaseLost || lease.signal.aborted) {
      app.log.info({ workspaceId, mailboxId }, 'the reading of a mailbox was overtaken by another');
      return false;
    }
    if (await noteTrouble(app, { mailbox, lease, failures: readable.failures }, error)) throw error;
    app.log.warn({ workspaceId, mailboxId, code: faultName(error) }, 'a mailbox could not be read');
    return false;
  }
}

/** @returns whether the queue must retry, with growing delays */
async function noteTrouble(
  { db, clock }: App,
  { mailbox, lease, failures }: { mailbox: Mailbox; lease: SyncLease; failures: number },
  error: unknown,
): Promise<boolean> {
  const fault = faultName(error);
  if (!(error instanceof ProviderFault)) {
    await db.tx((tx) => noteFailure(tx, lease, { fault, notBefore: null, isDenied: false }));
    return true;
  }
  const isThrottled = error.kind === 'throttled';
  const notBefore = isThrottled ? new Date(clock.now().getTime() + restMs(error, failures)) : null;
  return db.tx(async (tx) => {
    const refusedSince = await noteFailure(tx, lease, { fault, notBefore, isDenied: error.evidence === 'denial' });
    const { status, retryAt } = await noteReadFault(tx, mailbox, { fault: error, refusedSince });
    const later = latest(notBefore, retryAt);
    if (later !== null) await enqueueSync(tx, lease, later);
    return status === 'active' && later === null;
  });
}

function latest(one: Date | null, other: Date | null): Date | null {
  return one === null || (other !== null && other > one) ? other : one;
}

const restMsMin = 1_000;
const restMsMax = 6 * 3_600_000;
const unsaidRestMsMax = 64_000;

/** The delay that the provider asked for, otherwise one that doubles with each failure. */
function restMs({ retryAfterMs }: ProviderFault, failures: number): number {
  const unsaid = Math.min(restMsMin * 2 ** Math.min(failures, 10), unsaidRestMsMax);
  return Math.min(Math.max(retryAfterMs ?? unsaid, restMsMin), restMsMax);
}
