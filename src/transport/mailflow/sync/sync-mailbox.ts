import type { App } from '../../../app.ts';
import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import { together } from '../../../ground/database/db.ts';
import { LeaseLost } from '../../../ground/queue/lease.ts';
import { lockMailbox } from '../../../mail/mailboxes/lock-mailbox.ts';
import { openAccount } from '../../../mail/mailboxes/open-account.ts';
import { findMailbox, type Mailbox } from '../../../mail/mailboxes/queries.ts';
import { noteReadFault, noteReadRecovery } from '../../../mail/mailboxes/status/note-fault.ts';
import { ProviderFault } from '../../../mail/provider-fault.ts';
import { faultName } from '../mail-faults.ts';
import { afterRead, type ReadEnd, type SyncLease, takeSync } from './sync-lease.ts';
import { findProgress, noteFailure } from './sync-progress.ts';
import { readMailbox } from './sync-round.ts';

/**
 * Fetches the new mail of a mailbox that is due, one process at a time. Throws when the provider is out of reach: the
 * mailbox is then due after growing pauses.
 */
export async function syncMailbox(app: App, named: MailboxKey): Promise<void> {
  const lease = await takeSync(app.db, named);
  if (lease === undefined) return;
  let read: ReadEnd;
  try {
    read = await readOnce(app, lease);
  } finally {
    // If the database is away, the lease expires by itself.
    await lease
      .end(afterRead(named, read, app.clock.now()))
      .catch((err) => app.log.warn({ err, ...named }, 'the lease of a mailbox could not be given back'));
  }
  if ('error' in read && read.error !== undefined) throw read.error;
}

/** Returns the mailbox if it may be read. */
async function findReadable(app: App, named: MailboxKey): Promise<{ mailbox: Mailbox; failures: number } | undefined> {
  const [mailbox, progress] = await Promise.all([findMailbox(app.db, named), findProgress(app.db, named)]);
  if (mailbox === undefined || !isRead(mailbox) || progress === undefined) return undefined;
  return { mailbox, failures: progress.failures };
}

/** A mailbox in error is read on its retry schedule, and whenever the provider notifies of new mail. */
function isRead({ status }: Mailbox): boolean {
  return status === 'active' || status === 'error';
}

/** Throws only if the fault could not be noted. */
async function readOnce(app: App, lease: SyncLease): Promise<NonNullable<ReadEnd>> {
  const readable = await findReadable(app, lease);
  if (readable === undefined) return { error: undefined };
  const { mailbox } = readable;
  // Ends connections, of which servers allow few.
  const done = new AbortController();
  const account = openAccount(app, mailbox, AbortSignal.any([lease.signal, done.signal]));
  const progress = { hasStored: false };
  try {
    const isMoreLeft = await readMailbox({ ...app, ...readable, account, lease, progress });
    if (mailbox.status === 'error') await app.db.tx((tx) => noteReadRecovery(tx, mailbox));
    return { isMoreLeft };
  } catch (error) {
    const { workspaceId, mailboxId } = lease;
    if (error instanceof LeaseLost || lease.signal.aborted) {
      app.log.info({ workspaceId, mailboxId }, 'the reading of a mailbox was overtaken by another');
      return { error: undefined };
    }
    // A connection that breaks again and again must not slow down a first import that gets on.
    const failures = progress.hasStored ? 0 : readable.failures;
    if (await noteTrouble(app, { mailbox, lease, failures }, error)) return { error };
    app.log.warn({ workspaceId, mailboxId, code: faultName(error) }, 'a mailbox could not be read');
    return { error: undefined };
  } finally {
    done.abort();
  }
}

/** @returns whether the read counts as failed work, which is logged with its error */
async function noteTrouble(
  { db, clock }: App,
  { mailbox, lease, failures }: { mailbox: Mailbox; lease: SyncLease; failures: number },
  error: unknown,
): Promise<boolean> {
  const fault = error instanceof ProviderFault ? error : undefined;
  const isThrottled = fault?.kind === 'throttled';
  return db.tx(async (tx) => {
    const failure = {
      fault: faultName(error),
      failures: failures + 1,
      retryAt: new Date(clock.now().getTime() + restMs(fault, failures)),
      isThrottled,
      isDenied: fault?.evidence === 'denial',
    };
    const [, refusedSince] = await together([lockMailbox(tx, lease), noteFailure(tx, lease, failure)]);
    if (fault === undefined) return true;
    const isPassing = await noteReadFault(tx, mailbox, { fault, refusedSince });
    return isPassing && !isThrottled;
  });
}

const restMsMin = 1_000;
const restMsMax = 6 * 3_600_000;
const unsaidRestMsMax = 64_000;

/**
 * The delay that a throttling provider asked for, otherwise a delay that doubles with each failure. A provider that is
 * only out of order may ask for hours, and be back within a minute.
 */
function restMs(fault: ProviderFault | undefined, failures: number): number {
  const unsaid = Math.min(restMsMin * 2 ** Math.min(failures, 10), unsaidRestMsMax);
  return Math.min(Math.max((fault?.kind === 'throttled' ? fault.retryAfterMs : null) ?? unsaid, restMsMin), restMsMax);
}
