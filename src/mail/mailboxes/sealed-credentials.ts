import type { Db, Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import { isFree } from '../../ground/queue/lease.ts';
import { reseal } from './credentials.ts';
import { resealSecrets } from './servers/servers.ts';

export type SealedCredentials = { lost: number; outdated: number };

/**
 * Counts mailboxes whose credentials no present key can open (`lost`), and those sealed with an older key
 * (`outdated`).
 */
export function countSealedCredentials(db: Queryable, { keyIds }: Pick<Seal, 'keyIds'>): Promise<SealedCredentials> {
  return db.one<SealedCredentials>(sql`
    select count(*) filter (where not key_id = any(${keyIds}::text[])) as lost,
      count(*) filter (where key_id = any(${keyIds.slice(1)}::text[])) as outdated
    from (
      select split_part(refresh_token, '.', 2) as key_id from mailboxes where refresh_token is not null
      union all
      select split_part(sealed_password, '.', 2) from mailbox_servers where sealed_password is not null
      union all
      select split_part(sealed_client_secret, '.', 2) from mailbox_servers where sealed_client_secret is not null
    ) sealed`);
}

const batchMax = 500;

/** Reseals credentials that an older key sealed, in all workspaces, so that operators can remove that key. */
export async function resealCredentials(db: Db, seal: Seal): Promise<void> {
  const olderKeys = seal.keyIds.slice(1);
  if (olderKeys.length === 0) return;
  await resealServers(db, seal, olderKeys);
  for (;;) {
    const rows = await db.rows<{ workspaceId: WorkspaceId; id: string }>(sql`
      select workspace_id as "workspaceId", id
      from mailboxes m
      where split_part(refresh_token, '.', 2) = any(${olderKeys}::text[])
        -- A running refresh identifies the row by its sealed token. The next sweep reseals these.
        and ${isFree('refresh', 'm')}
      order by workspace_id, id
      limit ${batchMax}`);
    for (const row of rows) await db.tx((tx) => reseal(tx, seal, row));
    if (rows.length < batchMax) return;
  }
}

async function resealServers(db: Db, seal: Seal, olderKeys: readonly string[]): Promise<void> {
  for (;;) {
    const rows = await db.rows<{ workspaceId: WorkspaceId; id: string }>(sql`
      select workspace_id as "workspaceId", mailbox_id as id
      from mailbox_servers
      where split_part(sealed_password, '.', 2) = any(${olderKeys}::text[])
        or split_part(sealed_client_secret, '.', 2) = any(${olderKeys}::text[])
      order by workspace_id, mailbox_id
      limit ${batchMax}`);
    for (const row of rows) await db.tx((tx) => resealSecrets(tx, seal, row));
    if (rows.length < batchMax) return;
  }
}
