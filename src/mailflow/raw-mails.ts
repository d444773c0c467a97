import type { WorkspaceId } from '../lib/ids.ts';
import { type Blobs, sha256Of } from '../platform/blobs.ts';
import type { Db, Queryable, Tx } from '../platform/db.ts';
import type { Logger } from '../platform/log.ts';
import { sql } from '../platform/sql.ts';

/** Where mails come from, and for whom. */
export type MailSource = {
  workspaceId: WorkspaceId;
  /** Imported mail is history: it tells nobody and changes no ticket's state. */
  origin: 'import' | 'live';
  via: 'import' | 'smtp' | 'mail-a' | 'mail-b';
  mailboxId: string | null;
  /** When the mails reached us. */
  receivedAt: Date;
};

/** A mail as it came, safe on disk and in the database. */
export type RawMail = { id: string; sha256: string; receivedAt: Date; bytes: Buffer };

type RawMailState = 'pending' | 'ingested' | 'duplicate' | 'quarantined';

/** Where mails are kept, and where it is told what was wrong with them. */
export type Stores = { db: Db; blobs: Blobs; log: Logger };

/**
 * Makes mails durable before anything is understood of them: the bytes compressed as a blob, then their row, committed.
 * From then on a crash loses nothing: what is pending is taken up again.
 * @returns for each mail, in order, the raw mail that is still to be ingested; null when it is here already
 */
export async function storeRawMails(
  { db, blobs }: Stores,
  source: MailSource,
  contents: readonly Buffer[],
): Promise<(RawMail | null)[]> {
  const { workspaceId } = source;
  const hashes = contents.map(sha256Of);
  const bytesOf = new Map(hashes.map((sha256, at) => [sha256, contents[at] ?? Buffer.alloc(0)]));
  const known = await findRawMails(db, workspaceId, [...bytesOf.keys()]);
  const unknown = [...bytesOf.keys()].filter((sha256) => known.get(sha256)?.isLost ?? true);
  await blobs.packed.putAll(
    workspaceId,
    unknown.map((sha256) => bytesOf.get(sha256) ?? Buffer.alloc(0)),
  );
  const stored = unknown.length === 0 ? known : await db.tx((tx) => insertRawMails(tx, source, bytesOf));
  const seen = new Set<string>();
  return hashes.map((sha256, at) => {
    const row = stored.get(sha256);
    if (row?.state !== 'pending' || seen.has(sha256)) return null;
    seen.add(sha256);
    return { id: row.id, sha256, receivedAt: new Date(row.receivedAt), bytes: contents[at] ?? Buffer.alloc(0) };
  });
}

type RawMailRow = { id: string; sha256: string; receivedAt: string };
type KnownMailRow = RawMailRow & { state: RawMailState; isLost: boolean };

async function findRawMails(
  db: Queryable,
  workspaceId: WorkspaceId,
  hashes: readonly string[],
): Promise<Map<string, KnownMailRow>> {
  const rows = await db.rows<KnownMailRow>(sql`
    select id, sha256, state, received_at as "receivedAt",
      state = 'quarantined' and message_id is null as "isLost"
    from raw_mails
    where workspace_id = ${workspaceId} and sha256 = any(${hashes}::text[])`);
  return new Map(rows.map((row) => [row.sha256, row]));
}

/** Two that bring the same bytes at once agree on the first one's row. A mail whose bytes were lost waits once more. */
async function insertRawMails(
  tx: Tx,
  { workspaceId, via, mailboxId, receivedAt }: MailSource,
  bytesOf: ReadonlyMap<string, Buffer>,
): Promise<Map<string, KnownMailRow>> {
  // In one order everywhere, so that those two never wait for each other crosswise.
  const hashes = [...bytesOf.keys()].sort();
  await tx.run(sql`
    insert into raw_mails (workspace_id, id, sha256, size_bytes, source, mailbox_id, state, received_at)
    select ${workspaceId}, r.id, r.sha256, r.size_bytes, ${via}, ${mailboxId}::uuid, 'pending', ${receivedAt}
    from unnest(${hashes.map(() => tx.newId())}::uuid[], ${hashes}::text[],
      ${hashes.map((sha256) => bytesOf.get(sha256)?.length ?? 0)}::bigint[]) r (id, sha256, size_bytes)
    on conflict (workspace_id, sha256) do update
    set state = 'pending', note = null
    where raw_mails.state = 'quarantined' and raw_mails.message_id is null`);
  return findRawMails(tx, workspaceId, hashes);
}

export type PendingMails = {
  mails: RawMail[];
  /** Those whose bytes are gone or damaged: nothing can be made of them. */
  lostIds: string[];
  /** The last one looked at; undefined when none is left. */
  lastId: string | undefined;
};

/**
 * Mails that a crash left between the two steps, oldest first, after the one with the id given: so many, and no more once
 * they hold `bytesMax` together.
 */
export async function readPendingMails(
  { db, blobs }: Stores,
  { workspaceId, via }: Pick<MailSource, 'workspaceId' | 'via'>,
  { afterId, countMax, bytesMax }: { afterId: string; countMax: number; bytesMax: number },
): Promise<PendingMails> {
  const rows = await db.rows<RawMailRow>(sql`
    select p.id, p.sha256, p.received_at as "receivedAt"
    from (
      select r.id, r.sha256, r.received_at, sum(r.size_bytes) over (order by r.id) - r.size_bytes as bytes_before
      from (
        select id, sha256, received_at, size_bytes
        from raw_mails
        where workspace_id = ${workspaceId} and state = 'pending' and source = ${via} and id > ${afterId}
        order by id
        limit ${countMax}
      ) r
    ) p
    where p.bytes_before < ${bytesMax}
    order by p.id`);
  const found = await Promise.all(
    rows.map(async ({ id, sha256, receivedAt }) => {
      const bytes = await readIfWhole(blobs, workspaceId, sha256);
      return { id, sha256, receivedAt: new Date(receivedAt), bytes };
    }),
  );
  return {
    mails: found.flatMap(({ bytes, ...mail }) => (bytes === undefined ? [] : [{ ...mail, bytes }])),
    lostIds: found.flatMap(({ bytes, id }) => (bytes === undefined ? [id] : [])),
    lastId: found.at(-1)?.id,
  };
}

/** Undefined for a blob that is not there, or whose compressed bytes are cut or broken; any other fault of the disk is thrown. */
async function readIfWhole(blobs: Blobs, workspaceId: WorkspaceId, sha256: string): Promise<Buffer | undefined> {
  try {
    return await blobs.packed.get(workspaceId, sha256);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR') return undefined;
    throw error;
  }
}

/**
 * Gives up pending mails whose bytes are gone, which is seen in the list of the quarantine. They have no message, so their
 * bytes are taken when they come again.
 * @returns how many they were; another process may have settled some
 */
export async function giveUpLostMails(tx: Tx, workspaceId: WorkspaceId, ids: readonly string[]): Promise<number> {
  return tx.run(sql`
    update raw_mails
    set state = 'quarantined', note = ${lostNote}
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and state = 'pending'`);
}

const lostNote = 'Its bytes are missing or damaged on the disk. Import the mail again.';

/** Locks those of the raw mails that are still to be ingested; a second process finds that they no longer are. */
export async function lockPendingMails(tx: Tx, workspaceId: WorkspaceId, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(sql`
    select id from raw_mails
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and state = 'pending'
    order by id
    for update`);
  return new Set(rows.map(({ id }) => id));
}

/** The messages of mails that are here already, by their fingerprints. */
export async function findTakenMails(
  tx: Tx,
  workspaceId: WorkspaceId,
  fingerprints: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = await tx.rows<{ fingerprint: string; messageId: string | null }>(sql`
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
  messageId: string | null;
  /** Why it is quarantined, or flagged. */
  note: string | null;
};

/** Ends the waiting of raw mails. */
export async function settleRawMails(tx: Tx, workspaceId: WorkspaceId, verdicts: readonly Verdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  await tx.run(sql`
    update raw_mails r
    set state = v.state, fingerprint = v.fingerprint, message_id = v.message_id, note = v.note
    from unnest(${verdicts.map(({ rawMailId }) => rawMailId)}::uuid[], ${verdicts.map(({ state }) => state)}::text[],
      ${verdicts.map(({ fingerprint }) => fingerprint)}::text[], ${verdicts.map(({ messageId }) => messageId)}::uuid[],
      ${verdicts.map(({ note }) => note)}::text[]) v (id, state, fingerprint, message_id, note)
    where r.workspace_id = ${workspaceId} and r.id = v.id`);
}
