import { type Tx, together } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { hasBadText } from '../../../ground/http/json-body.ts';
import type { Clock } from '../../../ground/lib/clock.ts';
import { isStorageFull } from '../../../helpdesk/files/storage-quota.ts';
import type { Mailbox } from '../../../mail/mailboxes/queries.ts';
import type { FetchedMail, FoundMail, ProviderAccount } from '../../../mail/provider.ts';
import { ProviderFault } from '../../../mail/provider-fault.ts';
import { traitsOf } from '../../../mail/providers/registry.ts';
import { faultName } from '../mail-faults.ts';
import { type MailSource, storeRawMails } from '../raw-mails.ts';
import type { Stores } from '../stores.ts';
import { noteAfterIntake } from './note-after-intake.ts';
import { findSetAside, forgetSettled, type StuckMail, setAside } from './stuck-mails.ts';
import type { SyncLease } from './sync-lease.ts';
import { keepHeld, noteMissed } from './sync-progress.ts';

/** Everything that reading a mailbox and storing its mail needs. */
export type MailboxReader = Pick<Stores, 'db' | 'blobs' | 'log'> & {
  clock: Clock;
  mailbox: Mailbox;
  account: ProviderAccount;
  lease: SyncLease;
  /** The rounds that failed in a row before this round. */
  failures: number;
  /** Whether this round has stored mail, so that it got on even if it fails. */
  progress: { hasStored: boolean };
};

/** Graph serves four requests per mailbox at a time, and other jobs send requests too. */
const atOnceMax = 4;
const batchMailsMax = 64;
const batchBytesMax = 8 * 1024 * 1024;
/** After this many failed rounds, a failing mail is blamed itself, if the provider serves the list and other mails. */
const failuresMax = 3;

type KeepOptions = {
  /** Mail that arrived before is history. At least mail from before the connection is. */
  historyUntil?: number;
  /** Mail that arrived before is history whose tickets are closed. */
  oldUntil?: number;
  /** The list of changes has left out mail that arrived before and is unknown. */
  missedUntil?: Date | undefined;
};

/**
 * Fetches unknown mails, and stores them with the job that ingests them. On return, every mail is stored or set aside.
 * If it throws, the mails fetched before the fault are.
 * @param options.since skips older mail
 */
export async function keepFound(
  reader: MailboxReader,
  found: readonly FoundMail[],
  { since, ...options }: { since?: Date } & KeepOptions = {},
): Promise<void> {
  const unknown = await findUnknown(reader, found);
  if (unknown.length > 0) await refuseFullWorkspace(reader);
  let batch: FetchedMail[] = [];
  for (let at = 0; at < unknown.length; at += atOnceMax) {
    const { fetched, stuck, obstacle } = await fetchSome(reader, unknown.slice(at, at + atOnceMax));
    batch.push(...fetched.filter(({ receivedAt }) => since === undefined || receivedAt >= since));
    if (stuck.length > 0) await passOver(reader, stuck);
    const isLast = obstacle !== undefined || at + atOnceMax >= unknown.length;
    if (isLast || batch.length >= batchMailsMax || bytesOf(batch) >= batchBytesMax) {
      await keepFetched(reader, batch, options);
      batch = [];
    }
    if (obstacle !== undefined) throw obstacle.reason;
  }
}

/** Throws a fault that the mailbox shows as its reason. Its mail waits at the provider and is fetched later. */
async function refuseFullWorkspace({ db, lease: { workspaceId } }: MailboxReader): Promise<void> {
  if (!(await isStorageFull(db, workspaceId))) return;
  const message =
    'The workspace has reached its storage limit: its mail waits at the provider until the operator raises the limit.';
  throw new ProviderFault('refused', 'storage_full', message, { evidence: 'final' });
}

type UnknownMail = FoundMail & Pick<StuckMail, 'tries'>;

/** Removes duplicates, known mails, and mails that are set aside for now. */
async function findUnknown({ db, clock, lease }: MailboxReader, found: readonly FoundMail[]): Promise<UnknownMail[]> {
  const byId = new Map(found.filter(({ providerId }) => isName(providerId)).map((mail) => [mail.providerId, mail]));
  if (byId.size === 0) return [];
  const { workspaceId, mailboxId } = lease;
  const ids = [...byId.keys()];
  const [known, aside] = await Promise.all([
    db.rows<{ providerId: string }>(sql`
      select provider_id as "providerId"
      from mailbox_mails
      where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and provider_id = any(${ids}::text[])`),
    findSetAside(db, lease, { ids, now: clock.now() }),
  ]);
  for (const { providerId } of known) byId.delete(providerId);
  return [...byId.values()].flatMap((mail) => {
    const { isWaiting = false, tries = null } = aside.get(mail.providerId) ?? {};
    return isWaiting ? [] : [{ ...mail, tries }];
  });
}

/** PostgreSQL's indexes accept no longer values. */
const nameBytesMax = 2_000;

/**
 * Whether a provider's id can be stored. Mails with unfit ids are skipped, because they would block the mails after
 * them.
 */
function isName(text: string): boolean {
  return Buffer.byteLength(text) <= nameBytesMax && !hasBadText(text);
}

type Fetching = { fetched: FetchedMail[]; stuck: StuckMail[]; obstacle: { reason: unknown } | undefined };

/** Fetches all at once. A fault of one mail does not keep the others from being stored. */
async function fetchSome(reader: MailboxReader, mails: readonly UnknownMail[]): Promise<Fetching> {
  const answers = await Promise.allSettled(mails.map((mail) => fetchOne(reader, mail)));
  const outcome: Fetching = { fetched: [], stuck: [], obstacle: undefined };
  for (const [at, mail] of mails.entries()) {
    const answer = answers[at];
    if (answer?.status === 'fulfilled') {
      const { value } = answer;
      if (!('skipped' in value)) {
        if (isWanted(reader, mail, value)) outcome.fetched.push(value);
      } else if (value.skipped === 'missing') outcome.stuck.push({ ...mail, fault: null });
    } else if (isOfOneMail(reader, answer?.reason)) outcome.stuck.push({ ...mail, fault: faultName(answer?.reason) });
    else outcome.obstacle ??= { reason: answer?.reason };
  }
  return outcome;
}

const dayMs = 86_400_000;

/** A candidate or filed mail may be older than the history that the owner asked for. Then it is not wanted. */
function isWanted(
  { mailbox }: MailboxReader,
  { isCandidate }: FoundMail,
  { isFiled, receivedAt }: FetchedMail,
): boolean {
  const wantedFrom = connectedAtOf(mailbox) - mailbox.historyDays * dayMs;
  return (!isCandidate && !isFiled) || receivedAt.getTime() >= wantedFrom;
}

/**
 * Requests a failing mail once more before blaming it: the provider may have failed by chance, or may deliver it in
 * parts.
 */
async function fetchOne(reader: MailboxReader, mail: FoundMail): ReturnType<ProviderAccount['fetch']> {
  try {
    return await reader.account.fetch(mail);
  } catch (error) {
    if (!isOfOneMail(reader, error)) throw error;
    return reader.account.fetch(mail, { rebuilds: true });
  }
}

function isOfOneMail({ failures, lease }: MailboxReader, reason: unknown): boolean {
  if (lease.signal.aborted) return false;
  const kind = reason instanceof ProviderFault ? reason.kind : 'unavailable';
  // The provider has just listed the mailbox, so the mail is at fault. If access has ended meanwhile, the next list
  // shows it.
  return kind === 'refused' || kind === 'forbidden' || (kind === 'unavailable' && failures >= failuresMax);
}

async function passOver({ db, log, lease }: MailboxReader, stuck: readonly StuckMail[]): Promise<void> {
  const { workspaceId, mailboxId } = lease;
  const forgotten = await db.tx((tx) => setAside(tx, lease, stuck));
  for (const { providerId } of forgotten)
    log.info(
      { workspaceId, mailboxId, providerId },
      'the provider does not have a mail that it named: it is forgotten',
    );
  for (const { providerId, fault } of stuck)
    if (fault !== null)
      log.warn({ workspaceId, mailboxId, providerId, fault }, 'a mail could not be fetched: it is tried again later');
}

function bytesOf(mails: readonly FetchedMail[]): number {
  return mails.reduce((sum, { raw }) => sum + raw.length, 0);
}

const kinds = ['old', 'history', 'live'] as const;

/** Mail from before the connection is history, and so is mail that arrived long before it came to the inbox. */
async function keepFetched(
  reader: MailboxReader,
  mails: readonly FetchedMail[],
  { historyUntil = 0, oldUntil = 0, missedUntil }: KeepOptions,
): Promise<void> {
  const { db, blobs, clock, log, mailbox, lease, account } = reader;
  const { workspaceId, mailboxId } = lease;
  const { cursorMayFail } = traitsOf(mailbox.provider);
  const liveFrom = Math.max(connectedAtOf(mailbox), historyUntil);
  const kindOf = ({ receivedAt }: FetchedMail): (typeof kinds)[number] =>
    receivedAt.getTime() < oldUntil ? 'old' : receivedAt.getTime() < liveFrom ? 'history' : 'live';
  const isTidied = account.tidy !== undefined;
  const inOrder = mails.toSorted((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime());
  for (const kind of kinds) {
    const some = inOrder.filter((mail) => kindOf(mail) === kind);
    if (some.length === 0) continue;
    const source: MailSource = {
      workspaceId,
      origin: kind === 'live' ? 'live' : 'import',
      isOld: kind === 'old',
      via: mailbox.provider,
      mailboxId: mailbox.id,
      receivedAt: clock.now(),
    };
    const contents = some.map(({ raw }) => raw);
    const missed = some.filter((mail) => missedUntil !== undefined && isMissed(mail, missedUntil)).length;
    await storeRawMails({ db, blobs }, source, contents, (tx, hashes) =>
      together([
        keepHeld(tx, lease),
        notePlaces(tx, lease, some, hashes),
        ...(isTidied && kind === 'live' ? [noteAfterIntake(tx, lease, some, hashes)] : []),
        forgetSettled(tx, lease, some),
        ...(missed > 0 ? [noteMissed(tx, lease, { missed, givesUpCursor: cursorMayFail })] : []),
      ]),
    );
    reader.progress.hasStored = true;
    if (missed > 0) log.warn({ workspaceId, mailboxId, missed }, 'a mailbox’s list of changes missed mail');
  }
}

function isMissed({ isFiled, receivedAt }: FetchedMail, missedUntil: Date): boolean {
  return !isFiled && receivedAt < missedUntil;
}

/** A day more than the time since the last good round, because mail may be on its way for so long. */
export function liveFromOf(mailbox: Mailbox): number {
  const connectedAt = connectedAtOf(mailbox);
  const { provider, lastSyncedAt } = mailbox;
  if (!traitsOf(provider).arrivesOld || lastSyncedAt === null) return connectedAt;
  return Math.max(connectedAt, Date.parse(lastSyncedAt) - dayMs);
}

const newDays = 30;

/**
 * Mail that comes to the inbox, and arrived before this, is old: it tells nobody, and its tickets are closed. Younger
 * mail is new, even if it lay in another folder for days, such as in Junk.
 */
export function oldUntilOf({ mailbox, clock }: Pick<MailboxReader, 'mailbox' | 'clock'>): number {
  if (!traitsOf(mailbox.provider).arrivesOld) return 0;
  return Math.max(connectedAtOf(mailbox), clock.now().getTime() - newDays * dayMs);
}

/** Rounds down, because providers cut times to the second. */
function connectedAtOf({ connectedAt }: Mailbox): number {
  return Math.floor(Date.parse(connectedAt) / 1000) * 1000;
}

/** Saves the mails' places in their mailbox. Runs after the statement that writes their rows. */
async function notePlaces(
  tx: Tx,
  { workspaceId, mailboxId }: SyncLease,
  mails: readonly FetchedMail[],
  hashes: readonly string[],
): Promise<void> {
  await tx.run(sql`
    insert into mailbox_mails (workspace_id, mailbox_id, provider_id, raw_mail_id, thread_id, folder, received_at)
    select ${workspaceId}, ${mailboxId}, n.provider_id, r.id, n.thread_id, n.folder, n.received_at
    from unnest(${mails.map(({ providerId }) => providerId)}::text[], ${hashes}::text[],
      ${mails.map(({ threadId }) => (threadId !== null && isName(threadId) ? threadId : null))}::text[],
      ${mails.map(({ folder }) => folder)}::text[], ${mails.map(({ receivedAt }) => receivedAt)}::timestamptz[])
      n (provider_id, sha256, thread_id, folder, received_at)
    join raw_mails r on r.workspace_id = ${workspaceId} and r.sha256 = n.sha256
    on conflict do nothing`);
}
