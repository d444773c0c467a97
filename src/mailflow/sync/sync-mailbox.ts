import type { App } from '../../app.ts';
import type { Jobs } from '../../catalog/jobs.ts';
import { ProviderFault } from '../../mail/provider.ts';
import { enqueueSync } from '../../mailboxes/enqueue-sync.ts';
import { noteReadFault, noteReadRecovery } from '../../mailboxes/note-fault.ts';
import { openAccount } from '../../mailboxes/open-account.ts';
import { findMailbox, type Mailbox } from '../../mailboxes/queries.ts';
import { faultName } from '../mail-faults.ts';
import { type SyncLease, takeLease } from './sync-lease.ts';
import { findProgress, LeaseLost, noteFailure } from './sync-progress.ts';
import { readMailbox } from './sync-round.ts';

type Named = Jobs['mailbox.sync'];

/**
 * Fetches what is new in a mailbox, one process at a time: whoever comes second tells the first to look once more. Throws
 * where the provider is out of reach: the queue tries again.
 */
export async function syncMailbox(app: App, named: Named): Promise<void> {
  const lease = await takeLease(app.db, named);
  if (lease === undefined) return;
  try {
    // Somebody may ask while it is read: then the lease goes on.
    while ((await readOnce(app, lease)) && !(await lease.release()));
  } finally {
    // Where the database is away it runs out by itself.
    await lease.end().catch((err) => app.log.warn({ err, ...named }, 'the lease of a mailbox could not be given back'));
  }
}

/** The mailbox, unless it is not to be read, or not now: then a job comes back when it may be. */
async function findReadable(app: App, named: Named): Promise<{ mailbox: Mailbox; failures: number } | undefined> {
  const [mailbox, progress] = await Promise.all([findMailbox(app.db, named), findProgress(app.db, named)]);
  if (mailbox === undefined || !isRead(mailbox) || progress === undefined) return undefined;
  const { failures, notBefore } = progress;
  if (notBefore === null || Date.parse(notBefore) <= app.clock.now().getTime()) return { mailbox, failures };
  await app.db.tx((tx) => enqueueSync(tx, named, new Date(notBefore)));
  return undefined;
}

/** A mailbox in error is tried on its schedule, and whenever the provider notifies of new mail. */
function isRead({ status }: Mailbox): boolean {
  return status === 'active' || status === 'error';
}

/** @returns whether the round was a good one, with nothing left */
async function readOnce(app: App, lease: SyncLease): Promise<boolean> {
  const readable = await findReadable(app, lease);
  if (readable === undefined) return false;
  const { mailbox } = readable;
  const account = openAccount(app, mailbox, lease.signal);
  try {
    const isMoreLeft = await readMailbox({ ...app, ...readable, account, lease });
    if (mailbox.status === 'error') await app.db.tx((tx) => noteReadRecovery(tx, mailbox));
    // A job of its own goes on, so that a worker which is to stop need not wait for all of it.
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

/** @returns whether the queue is to try again, sooner and then later */
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

/** As long as the provider asked for; where it did not say, longer each time. */
function restMs({ retryAfterMs }: ProviderFault, failures: number): number {
  const unsaid = Math.min(restMsMin * 2 ** Math.min(failures, 10), unsaidRestMsMax);
  return Math.min(Math.max(retryAfterMs ?? unsaid, restMsMin), restMsMax);
}
