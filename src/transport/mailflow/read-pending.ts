import type { Blobs } from '../../ground/blobs/blobs.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import {
  type HostedPlaceRow,
  type MailSource,
  type RawMail,
  type RawMailRow,
  rawMailColumns,
  rawMailOf,
} from './raw-mails.ts';
import type { Stores } from './stores.ts';
import { fetchAgain } from './sync/stuck-mails.ts';

export type PendingMails = {
  mails: RawMail[];
  /** Mails whose bytes are missing or damaged, and which cannot be ingested. */
  lostIds: string[];
  /** The last mail of this page; undefined when none is left. */
  lastId: string | undefined;
};

/**
 * Reads stored mails that are not ingested yet, oldest first, after `afterId`. Returns up to `countMax` mails, and
 * stops once they reach `bytesMax`. Reads either imports or all other mail, which shares one queue.
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
        -- If the same bytes are in two places, the copy in a sent folder is certainly of the team.
        order by h.folder = 'sent' desc, h.mailbox_id = r.mailbox_id desc nulls last, h.provider_id
        limit 1
      ) as hosted
    from (
      select p.id, p.sha256, p.source, p.mailbox_id, p.is_history, p.is_old, p.received_at, p.envelope_from,
        p.envelope_to, p.envelope_peer, p.envelope_helo,
        sum(p.size_bytes) over (order by p.id) - p.size_bytes as bytes_before
      from (
        select id, sha256, source, mailbox_id, is_history, is_old, received_at, envelope_from, envelope_to,
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

/** Returns undefined when the blob is missing or its compressed bytes are damaged. Throws other faults of the disk. */
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
 * Gives up pending mails whose bytes are lost; the quarantine lists them. They have no message, so their bytes are
 * taken when they come again. Mails of mailboxes are fetched again.
 * @returns how many it gave up; another process may have settled some
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
