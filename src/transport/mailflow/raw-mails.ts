import { fingerprintVersion } from '@kontor/mail/identity.ts';
import { type Blobs, sha256OfAll } from '../../ground/blobs/blobs.ts';
import { type Db, type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { keepPlans } from '../../ground/database/keep-plans.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import type { MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import { noteStorage } from '../../helpdesk/files/storage-quota.ts';
import type { ProviderKey } from '../../mail/providers/registry.ts';
import type { SmtpClient } from '../../mail/smtp-listener.ts';

export const importedStatuses = ['open', 'closed', 'archived'] as const;

export type ImportChoices = {
  /** The status of new tickets. Archived tickets are closed, too. */
  status: (typeof importedStatuses)[number];
  /** More addresses of the team than the workspace knows, and domains as `@example.com`. */
  ownAddresses: readonly string[];
};

/** Where mails come from, and their workspace. */
export type MailSource = {
  workspaceId: WorkspaceId;
  /** Imported mail is history: it notifies nobody and changes no ticket's state. */
  origin: 'import' | 'live';
  /** Old mail that came to an inbox by itself: the tickets of this history are closed. */
  isOld?: boolean;
  via: 'import' | 'smtp' | ProviderKey;
  mailboxId: string | null;
  /** When the mails reached us. */
  receivedAt: Date;
  /** The SMTP envelope of the mails. */
  envelope?: Envelope;
  /** The choices of the person who imports mail files. */
  choices?: ImportChoices | undefined;
};

/** Addresses without brackets. `from` is empty for SMTP's `<>`, and null without SMTP. */
type Envelope = { from: string | null; to: string[]; client?: SmtpClient | undefined };

/** A mail in its original bytes, safe on disk and in the database. */
export type RawMail = Pick<MailSource, 'origin' | 'isOld' | 'mailboxId' | 'receivedAt'> & {
  id: string;
  sha256: string;
  envelope: Envelope;
  /** Its place in its mailbox; null for mail from elsewhere. */
  hosted: HostedPlace | null;
  bytes: Buffer;
};

/** A mail's place at the provider of a mailbox. */
export type HostedPlace = {
  mailboxId: string;
  provider: ProviderKey;
  providerId: string;
  folder: 'inbox' | 'sent';
  threadId: string | null;
  /** When the provider received it; null for mail from before it was noted. */
  receivedAt: Date | null;
};

/** As the database returns it. */
export type HostedPlaceRow = Omit<HostedPlace, 'receivedAt'> & { receivedAt: string | null };

type RawMailState = 'pending' | 'ingested' | 'duplicate' | 'quarantined';

/**
 * Makes mails durable before parsing them: their compressed bytes as a blob, then their row, committed. From then on a
 * crash loses nothing, because pending mails are resumed.
 * @param alongside runs in the transaction that writes the rows, even if all mails are already stored; gets the
 * SHA-256 of each mail
 * @returns for each mail, in order, the raw mail to ingest; null when it is already settled, or came through a
 * mailbox, whose mail is due work
 */
export async function storeRawMails(
  { db, blobs }: { db: Db; blobs: Blobs },
  source: MailSource,
  contents: readonly Buffer[],
  alongside?: (tx: Tx, hashes: readonly string[]) => Promise<unknown>,
): Promise<(RawMail | null)[]> {
  const { workspaceId } = source;
  const hashes = await sha256OfAll(contents);
  const bytesOf = new Map(hashes.map((sha256, at) => [sha256, contents[at] ?? Buffer.alloc(0)]));
  const known = await db.tx(async (tx) => {
    const [, found] = await together([keepPlans(tx), findRawMails(tx, source, [...bytesOf.keys()])]);
    return found;
  });
  // Writes only these. The transaction that ingests a known mail may hold a lock on its row.
  const wanted = new Map([...bytesOf].filter(([sha256]) => known.get(sha256)?.isWanted ?? true));
  // An import that was killed may have left the others pending. Their bytes may be lost meanwhile.
  const unsettled = [...bytesOf].filter(([sha256]) => known.get(sha256)?.state === 'pending' && !wanted.has(sha256));
  await blobs.packed.putAll(workspaceId, [...wanted.values(), ...unsettled.map(([, bytes]) => bytes)]);
  const insert = async (tx: Tx) => {
    const inserting = insertRawMails(tx, source, wanted);
    const [, { rows, newBytes }] = await together([keepPlans(tx), inserting, alongside?.(tx, hashes)]);
    await noteStorage(tx, workspaceId, newBytes);
    tx.touch(workspaceId);
    return rows;
  };
  const isWritten = wanted.size > 0 || alongside !== undefined;
  const stored = isWritten ? new Map([...known, ...(await db.tx(insert))]) : known;
  const seen = new Set<string>();
  return hashes.map((sha256, at) => {
    const row = stored.get(sha256);
    if (row?.state !== 'pending' || row.mailboxId !== null || seen.has(sha256)) return null;
    seen.add(sha256);
    return rawMailOf(row, contents[at] ?? Buffer.alloc(0));
  });
}

export type RawMailRow = Pick<RawMail, 'id' | 'sha256' | 'origin' | 'mailboxId'> & {
  isOld: boolean;
  receivedAt: string;
  envelopeFrom: string | null;
  envelopeTo: string[];
  envelopePeer: string | null;
  envelopeHelo: string | null;
};
type KnownMailRow = RawMailRow & { state: RawMailState; isWanted: boolean };

/** The columns of a raw mail that `rawMailOf` reads; `r` is the table's alias. */
export const rawMailColumns: Sql = sql`r.id, r.sha256, r.received_at as "receivedAt", r.mailbox_id as "mailboxId",
  case when r.source = 'import' or r.is_history then 'import' else 'live' end as origin, r.is_old as "isOld",
  r.envelope_from as "envelopeFrom", r.envelope_to as "envelopeTo",
  r.envelope_peer as "envelopePeer", r.envelope_helo as "envelopeHelo"`;

export function rawMailOf(row: RawMailRow, bytes: Buffer, hosted: HostedPlaceRow | null = null): RawMail {
  const { id, sha256, origin, isOld, receivedAt, envelopeFrom, envelopeTo, envelopePeer, envelopeHelo } = row;
  const client = envelopePeer === null ? undefined : { address: envelopePeer, helo: envelopeHelo ?? '' };
  const envelope = { from: envelopeFrom, to: envelopeTo, client };
  const mailboxId = hosted?.mailboxId ?? row.mailboxId;
  const place = hosted && { ...hosted, receivedAt: hosted.receivedAt === null ? null : new Date(hosted.receivedAt) };
  return { id, sha256, origin, isOld, mailboxId, receivedAt: new Date(receivedAt), envelope, hosted: place, bytes };
}

/**
 * Whether the stored mail `r` is wanted again: its bytes were lost, and not erased. A live mail is also wanted if an
 * import left it pending, because only the next import would resume it.
 */
const isWantedAgain = (via: Sql): Sql => sql`(
    (r.state = 'quarantined' and r.message_id is null and r.erased_at is null)
    or (r.state = 'pending' and r.source = 'import' and ${via} <> 'import'))`;

async function findRawMails(
  db: Queryable,
  { workspaceId, via }: Pick<MailSource, 'workspaceId' | 'via'>,
  hashes: readonly string[],
): Promise<Map<string, KnownMailRow>> {
  const rows = await db.rows<KnownMailRow>(sql`
    select ${rawMailColumns}, r.state, ${isWantedAgain(sql`${via}::text`)} as "isWanted"
    from raw_mails r
    where r.workspace_id = ${workspaceId} and r.sha256 = any(${hashes}::text[])`);
  return new Map(rows.map((row) => [row.sha256, row]));
}

/**
 * Two concurrent inserts of the same bytes share the first one's row. `newBytes` counts only rows that this call
 * inserted.
 */
async function insertRawMails(
  tx: Tx,
  source: MailSource,
  bytesOf: ReadonlyMap<string, Buffer>,
): Promise<{ rows: Map<string, KnownMailRow>; newBytes: number }> {
  const { workspaceId, via, mailboxId, receivedAt, envelope = { from: null, to: [] } } = source;
  // The ids keep the order of arrival.
  const ids = new Map([...bytesOf.keys()].map((sha256) => [sha256, tx.newId()]));
  // A fixed lock order, so that two such inserts cannot deadlock.
  const hashes = [...bytesOf.keys()].sort();
  await tx.run(sql`
    insert into raw_mails as r (workspace_id, id, sha256, size_bytes, source, mailbox_id, is_history, is_old, state,
      received_at, envelope_from, envelope_to, envelope_peer, envelope_helo)
    select w.workspace_id, n.id, n.sha256, n.size_bytes, ${via}::text, ${mailboxId}::uuid,
      ${source.origin === 'import'}::boolean, ${source.isOld === true}::boolean, 'pending',
      ${receivedAt}::timestamptz, ${envelope.from}::text, ${envelope.to}::text[],
      ${envelope.client?.address ?? null}::text,
      ${envelope.client?.helo ?? null}::text
    from ${workspaceRow}
    cross join unnest(${hashes.map((sha256) => ids.get(sha256))}::uuid[], ${hashes}::text[],
      ${hashes.map((sha256) => bytesOf.get(sha256)?.length ?? 0)}::bigint[]) n (id, sha256, size_bytes)
    where w.workspace_id = ${workspaceId}
    on conflict (workspace_id, sha256) do update
    set state = 'pending', note = null, discarded_at = null, source = excluded.source, mailbox_id = excluded.mailbox_id,
      is_history = excluded.is_history, is_old = excluded.is_old, received_at = excluded.received_at,
      envelope_from = excluded.envelope_from, envelope_to = excluded.envelope_to,
      envelope_peer = excluded.envelope_peer,
      envelope_helo = excluded.envelope_helo
    where ${isWantedAgain(sql`excluded.source`)}`);
  const rows = await findRawMails(tx, source, hashes);
  const isNew = (sha256: string) => rows.get(sha256)?.id === ids.get(sha256);
  const newBytes = [...bytesOf].reduce((sum, [sha256, { length }]) => sum + (isNew(sha256) ? length : 0), 0);
  return { rows, newBytes };
}

/** Locks the raw mails that are still pending. A second process then finds them settled. */
export async function lockPendingMails(tx: Tx, workspaceId: WorkspaceId, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(sql`
    select id from raw_mails
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and state = 'pending'
    order by id
    for update`);
  return new Set(rows.map(({ id }) => id));
}

/** The messages of ingested mails, by their fingerprints. */
export async function findTakenMails(
  tx: Tx,
  workspaceId: WorkspaceId,
  fingerprints: readonly string[],
): Promise<Map<string, MessageId | null>> {
  const rows = await tx.rows<{ fingerprint: string; messageId: MessageId | null }>(sql`
    select fingerprint, message_id as "messageId"
    from raw_mails
    where workspace_id = ${workspaceId} and fingerprint = any(${fingerprints}::text[])
      and state in ('ingested', 'quarantined')`);
  return new Map(rows.map((row) => [row.fingerprint, row.messageId]));
}

export type Verdict = {
  rawMailId: string;
  state: Exclude<RawMailState, 'pending'>;
  fingerprint: string;
  messageId: MessageId | null;
  /** Why the mail is quarantined or flagged. */
  note: string | null;
};

/** Settles pending raw mails. */
export async function settleRawMails(tx: Tx, workspaceId: WorkspaceId, verdicts: readonly Verdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  await tx.run(sql`
    update raw_mails r
    set state = v.state, fingerprint = v.fingerprint, fingerprint_version = ${fingerprintVersion},
      message_id = v.message_id, note = v.note
    from unnest(${verdicts.map(({ rawMailId }) => rawMailId)}::uuid[], ${verdicts.map(({ state }) => state)}::text[],
      ${verdicts.map(({ fingerprint }) => fingerprint)}::text[], ${verdicts.map(({ messageId }) => messageId)}::uuid[],
      ${verdicts.map(({ note }) => note)}::text[]) v (id, state, fingerprint, message_id, note)
    where r.workspace_id = ${workspaceId} and r.id = v.id`);
}
