import { isMailName } from '@kontor/mail/files/mail-file.ts';
import { type FoundMail, readMails } from '@kontor/mail/files/mailbox-files.ts';
import { audit } from '../../../access/audit/audit.ts';
import { type Db, type Tx, together } from '../../../ground/database/db.ts';
import { isDatabaseAway } from '../../../ground/database/faults.ts';
import type { Live } from '../../../ground/database/live.ts';
import { emptySql, sql } from '../../../ground/database/sql.ts';
import { type Lease, type LeaseKey, LeaseLost, writeHeld } from '../../../ground/queue/lease.ts';
import { isStorageFull } from '../../../helpdesk/files/storage-quota.ts';
import type { ImportChoices } from '../raw-mails.ts';
import type { Stores } from '../stores.ts';
import { type Done, importMails } from './import.ts';
import { takeImport } from './import-lease.ts';
import { clearAway, storedName } from './keep-import.ts';
import type { ImportFailure } from './schema.ts';

type ImportParts = Stores & { live: Live };

/** Then imports of other workspaces get the place. */
const sliceMs = 300_000;
/** An import ends as failed after so many failed attempts in a row. The due work rests between them. */
const failuresMax = 10;
/** After so many, one mail may be the reason. */
const failuresOfOneMail = 3;
const problemsMax = 200;
const isUnderWay = sql`l.state in ('running', 'stopping')`;

type Work = ImportChoices & {
  state: 'running' | 'stopping';
  createdAt: string;
  filesDone: number;
  foundInFile: number;
  failures: number;
  files: readonly { name: string; size: number }[];
};

/** A mail, with the place from which the work goes on after it. */
type PlacedMail = FoundMail & { filesDone: number; foundInFile: number; processed: number };

/**
 * Works for a while on an import. The transaction that takes some mails also notes the progress of the work. After an
 * interruption, the next attempt goes on from there, and no mail counts twice. Deletes the files at the end.
 * @param stopping the process stops: ends the current batch only
 */
export async function workOnImport(parts: ImportParts, key: LeaseKey, stopping: AbortSignal): Promise<void> {
  const lease = await takeImport(parts.db, key);
  if (lease === undefined) return;
  try {
    const work = await findWork(parts.db, lease);
    if (work !== undefined) await takeFiles(parts, lease, work, stopping);
    await clearAway(parts, lease);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await lease.end();
  }
}

/** Undefined for an import that has ended, or that never began. */
async function findWork(db: Db, { workspaceId, id }: LeaseKey): Promise<Work | undefined> {
  const [found, files] = await together([
    db.maybe<Omit<Work, 'files'>>(sql`
      select state, created_at as "createdAt", status, own_addresses as "ownAddresses", files_done as "filesDone",
        found_in_file as "foundInFile", failures
      from mail_imports
      where workspace_id = ${workspaceId} and id = ${id} and state in ('running', 'stopping')`),
    db.rows<{ name: string; size: number }>(sql`
      select file_name as name, size_bytes as size
      from mail_import_files
      where workspace_id = ${workspaceId} and import_id = ${id}
      order by position`),
  ]);
  return found && { ...found, files };
}

type Ended = { state: 'done' | 'stopped' | 'failed'; failure?: ImportFailure };

async function takeFiles(parts: ImportParts, lease: Lease, work: Work, stopping: AbortSignal): Promise<void> {
  const { db } = parts;
  const { workspaceId } = lease;
  const { status, ownAddresses } = work;
  const leaving = new AbortController();
  let ended: Ended | undefined;
  const end = (how: Ended) => {
    ended ??= how;
    leaving.abort();
  };
  let notedAt = performance.now();
  const leaveAt = notedAt + sliceMs;
  const signal = AbortSignal.any([stopping, lease.signal, leaving.signal]);
  try {
    await importMails<PlacedMail>(parts, {
      source: {
        ...{ workspaceId, origin: 'import', via: 'import', mailboxId: null },
        receivedAt: new Date(work.createdAt),
        choices: { status, ownAddresses },
      },
      mails: work.state === 'stopping' ? nothing() : mailsOf(parts, lease, work),
      signal,
      pending: work.failures < failuresOfOneMail ? 'last' : 'first',
      note: async (tx, done) => {
        const state = await noteProgress(tx, lease, done, performance.now() - notedAt);
        if (state === 'stopping' && work.state === 'running') end({ state: 'stopped' });
      },
      onProgress: async () => {
        notedAt = performance.now();
        if (notedAt > leaveAt) leaving.abort();
        if (await isStorageFull(db, workspaceId)) end({ state: 'failed', failure: 'storage_full' });
      },
    });
    if (!signal.aborted) end({ state: work.state === 'stopping' ? 'stopped' : 'done' });
  } catch (error) {
    end(await verdictOn(db, lease, error));
  }
  if (ended === undefined) return;
  await endImport(db, lease, ended);
  // No event tells open pages of imported mail.
  parts.live.signal({ workspaceId, userId: null, event: 'reset', data: {} });
}

async function* nothing(): AsyncGenerator<PlacedMail> {}

/** The upload is gone: it was deleted, or a restored backup has only its row. */
class FileMissing extends Error {
  override name = 'FileMissing';
}

async function* mailsOf({ blobs }: ImportParts, { workspaceId, id }: LeaseKey, work: Work): AsyncGenerator<PlacedMail> {
  let bytesBefore = 0;
  for (const [at, { name, size }] of work.files.entries()) {
    if (at >= work.filesDone) {
      await using stored = await blobs.stored.onDisk(workspaceId, storedName(id, at));
      if (stored === undefined) throw new FileMissing();
      const passed = at === work.filesDone ? work.foundInFile : 0;
      let foundInFile = 0;
      for await (const mail of readMails(stored.path, { name, isMailByName: isMailName(name) })) {
        // The disk has a fault, not the file: the next attempt reads it again.
        if ('skipped' in mail && mail.skipped === 'unreadable') throw new Error('an upload could not be read');
        foundInFile += 1;
        const processed = bytesBefore + Math.floor(mail.share * size);
        if (foundInFile > passed) yield { ...mail, filesDone: at, foundInFile, processed };
      }
    }
    bytesBefore += size;
  }
}

/** Adds up the results of a batch, and notes the progress of the work. Throws when the lease was lost. */
async function noteProgress(
  tx: Tx,
  lease: Lease,
  { last, passedOver, leftOut, ...done }: Done<PlacedMail>,
  workedMs: number,
): Promise<Work['state']> {
  const problems = sql`(
      select coalesce(jsonb_agg(p.one order by p.place), '[]')
      from jsonb_array_elements(problems || ${JSON.stringify(passedOver)}::jsonb) with ordinality p (one, place)
      where p.place <= ${problemsMax})`;
  const set = sql`${
    last === undefined
      ? emptySql
      : sql`files_done = ${last.filesDone}, found_in_file = ${last.foundInFile},
      processed_bytes = ${last.processed},`
  }
      ${passedOver.length === 0 ? emptySql : sql`problems = ${problems},`}
      read = read + ${done.read}, taken = taken + ${done.new}, known = known + ${done.known},
      quarantined = quarantined + ${done.quarantined}, passed_over = passed_over + ${passedOver.length},
      drafts_left_out = drafts_left_out + ${leftOut.drafts}, deleted_left_out = deleted_left_out + ${leftOut.deleted},
      spam_left_out = spam_left_out + ${leftOut.spam}, chats_left_out = chats_left_out + ${leftOut.chats},
      tickets = tickets + ${done.tickets}, worked_ms = worked_ms + ${Math.round(workedMs)}, failures = 0`;
  const { state } = await writeHeld<Pick<Work, 'state'>>(tx, 'import', lease, set, {
    when: isUnderWay,
    returning: sql`state`,
  });
  return state;
}

/** How a fault ends the import. Throws it again for another attempt. */
async function verdictOn(db: Db, lease: Lease, error: unknown): Promise<Ended> {
  if (error instanceof FileMissing) return { state: 'failed', failure: 'file_missing' };
  if (error instanceof LeaseLost || isDatabaseAway(error)) throw error;
  const { failures } = await db.tx((tx) =>
    writeHeld<{ failures: number }>(tx, 'import', lease, sql`failures = l.failures + 1`, { returning: sql`failures` }),
  );
  if (failures < failuresMax) throw error;
  return { state: 'failed', failure: 'fault' };
}

function endImport(db: Db, lease: Lease, { state, failure }: Ended): Promise<void> {
  const { workspaceId, id } = lease;
  return db.tx(async (tx) => {
    const set = sql`state = ${state}, failure = ${failure ?? null}, finished_at = ${tx.now},
      processed_bytes = case when ${state === 'done'} then size_bytes else processed_bytes end`;
    const returning = sql`taken as imported, known, passed_over as "passedOver"`;
    type Counts = { imported: number; known: number; passedOver: number };
    const counts = await writeHeld<Counts>(tx, 'import', lease, set, { when: isUnderWay, returning });
    const data = { state, failure: failure ?? null, ...counts };
    await audit(tx, { workspaceId, userId: null }, { type: 'import.ended', subjectId: id, data });
    tx.touch(workspaceId);
  });
}
