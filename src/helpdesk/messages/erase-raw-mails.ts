import type { Tx } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { forgottenTexts } from '../../ground/database/table-sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { noteLooseBlobs } from '../files/loose-blobs.ts';

/**
 * Erases the raw mails of messages, and their copies. The rows stay, with nothing but hashes: a mailbox or an import
 * that brings such a mail again adds nothing.
 * @param messages an SQL query of their ids, in parentheses
 */
export function eraseRawMails(tx: Tx, workspaceId: WorkspaceId, messages: Sql): Promise<void> {
  return erase(tx, workspaceId, sql`r.message_id in ${messages}`);
}

/** Erases the given raw mails that are copies of erased mails. */
export function eraseCopies(tx: Tx, workspaceId: WorkspaceId, copies: readonly { rawMailId: string }[]): Promise<void> {
  const ids = copies.map(({ rawMailId }) => rawMailId);
  return erase(
    tx,
    workspaceId,
    sql`r.id = any(${ids}::uuid[]) and exists (
      select from raw_mails k
      where k.workspace_id = ${workspaceId} and k.fingerprint = r.fingerprint
        and k.state in ('ingested', 'quarantined') and k.erased_at is not null
    )`,
  );
}

/** Erases the bytes of settled mails without a message, and the service's data about those mails. */
export function eraseSettledMails(tx: Tx, workspaceId: WorkspaceId, ids: readonly string[]): Promise<void> {
  return erase(
    tx,
    workspaceId,
    sql`r.id = any(${ids}::uuid[]) and r.state = 'ingested' and r.message_id is null and r.erased_at is null`,
  );
}

/** Erases mails in quarantine, and others without a message. Nobody has to decide on them any more. */
export async function eraseStrayMails(tx: Tx, workspaceId: WorkspaceId, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update raw_mails set discarded_at = coalesce(discarded_at, ${tx.now})
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`);
  await erase(tx, workspaceId, sql`r.id = any(${ids}::uuid[])`);
}

async function erase(tx: Tx, workspaceId: WorkspaceId, which: Sql): Promise<void> {
  const erased = await tx.rows<{ sha256: string }>(sql`
    update raw_mails r
    set message_id = null, erased_at = ${tx.now}, size_bytes = 0, ${forgottenTexts('raw_mails')}
    where r.workspace_id = ${workspaceId} and ${which}
    returning r.sha256`);
  await noteLooseBlobs(tx, workspaceId, erased);
}
