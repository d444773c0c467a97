import type { Blobs } from '../blobs/blobs.ts';
import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import {
  type HostedPlaceRow,
  type MailSource,
  type RawMail,
  type RawMailRow,
  rawMailColumns,
  rawMailOf,
  type Stores,
} from './raw-mails.ts';
import { fetchAgain } from './sync/stuck-mails.ts';

export type PendingMails = {
  mails: RawMail[];
  /** Those whose bytes are gone or damaged: nothing can be made of them. */
  lostIds: string[];
  /** The last one looked at; undefined when none is left. */
  lastId: string | undefined;
};

/**
 * Mails that are stored and not yet taken in, oldest first, after the one with the id given: so many, and no more once they
 * hold `bytesMax` together. Those of imports, or all others: by whatever way these came, they are taken in one line.
 */
export async function readPendingMails(
  { db, blobs }: Pick<Stores, 'db' | 'blobs'>,
  { workspaceId, via }: Pick<MailSource, 'workspaceId' | 'via'>,
  { afterId, countMax, bytesMax }: { afterId: string; countMax: number; bytesMax: number },
): Promise<PendingMails> {
  const rows = await db.rows<RawMailRow & { hosted: HostedPlaceRow | null }>(sql`
    select ${rawMailColumns}, (
        select json_build_object('mailboxId', h.mailbox_id, 'provider', b.provider, 'providerId', h.provider_id,
          'folder', h.folder, 'threadId', h.thread_id,
          'receivedAt', to_char(h.received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        from mailbox_mails h
        join mailboxes b on b.workspace_id = ${workspaceId} and b.id = h.mailbox_id
        where h.workspace_id = ${workspaceId} and h.raw_mail_id = r.id
        -- Of the same bytes in two places a sent folder's are surely of our own people.
        order by h.folder = 'sent' desc, h.mailbox_id = r.mailbox_id desc nulls last, h.provider_id
        limit 1
      ) as hosted
    from (
      select p.id, p.sha256, p.source, p.mailbox_id, p.is_history, p.received_at, p.envelope_from, p.envelope_to,
        p.envelope_peer, p.envelope_helo,
        sum(p.size_bytes) over (order by p.id) - p.size_bytes as bytes_before
      from (
        select id, sha256, source, mailbox_id, is_history, received_at, envelope_from, envelope_to,
          envelope_peer, envelope_helo, size_bytes
        from raw_mails
        where workspace_id = ${workspaceId} and state = 'pending' and id > ${afterId}
          and (source = 'import') = ${via === 'import'}
        order by id
        limit ${countMax}
      ) p
    ) r
    where r.bytes_before < ${bytesMax}
    order by r.id`);
  const found = await Promise.all(
    rows.map(async (row) => ({ row, bytes: await readIfWhole(blobs, workspaceId, row.sha256) })),
  );
  return {
    mails: found.flatMap(({ row, bytes }) => (bytes === undefined ? [] : [rawMailOf(row, bytes, row.hosted)])),
    lostIds: found.flatMap(({ row, bytes }) => (bytes === undefined ? [row.id] : [])),
    lastId: rows.at(-1)?.id,
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
 * bytes are taken when they come again; those of mailboxes are fetched again.
 * @returns how many they were; another process may have settled some
 */
export async function giveUpLostMails(tx: Tx, workspaceId: WorkspaceId, ids: readonly string[]): Promise<number> {
  const lost = await tx.rows<{ id: string }>(sql`
    update raw_mails
    set state = 'quarantined', note = ${lostNote}
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and state = 'pending'
    returning id`);
  await fetchAgain(
    tx,
    workspaceId,
    lost.map(({ id }) => id),
  );
  return lost.length;
}

const lostNote = 'Its bytes are missing or damaged on the disk. It is taken when the mail comes again.';
