import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { hashOfAddress } from './person.ts';

type WaitingMail = { id: string; writer: string; receivedAt: Date };

/** Finds the mails that were here already, but not ingested, when somebody asked to erase their writers. */
export async function findErasedMails(
  db: Queryable,
  workspaceId: WorkspaceId,
  { mails, authSecret }: { mails: readonly WaitingMail[]; authSecret: Uint8Array },
): Promise<Set<string>> {
  if (mails.length === 0) return new Set();
  const oldest = new Date(Math.min(...mails.map(({ receivedAt }) => receivedAt.getTime())));
  const erasures = await db.rows<{ addressHashes: string[]; requestedAt: string }>(sql`
    select address_hashes as "addressHashes", requested_at as "requestedAt" from erasures
    where workspace_id = ${workspaceId} and requested_at >= ${oldest}`);
  if (erasures.length === 0) return new Set();
  const isErased = ({ writer, receivedAt }: WaitingMail) => {
    const hash = hashOfAddress(authSecret, workspaceId, writer);
    return erasures.some(
      ({ addressHashes, requestedAt }) => receivedAt <= new Date(requestedAt) && addressHashes.includes(hash),
    );
  };
  return new Set(mails.filter(isErased).map(({ id }) => id));
}
