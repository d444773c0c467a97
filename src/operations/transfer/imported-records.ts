import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/** Which records a workspace has from imports. */

export type RecordKind =
  | 'member'
  | 'team'
  | 'auto_reply'
  | 'survey'
  | 'survey_ask'
  | 'calendar'
  | 'rule'
  | 'mailbox'
  | 'contact'
  | 'ticket'
  | 'blocked_sender'
  | 'saved_reply'
  | 'view'
  | 'draft';

export type Imported = {
  id: string;
  /** The record in this workspace. */
  hereId: string;
  hash: string;
  version: number | null;
};

export async function findImported(
  db: Queryable,
  workspaceId: WorkspaceId,
  kind: RecordKind,
  ids: readonly string[],
): Promise<Map<string, Imported>> {
  const found = await db.rows<Imported>(sql`
    select id, here_id as "hereId", encode(content_hash, 'hex') as hash, version
    from imported_records
    where workspace_id = ${workspaceId} and kind = ${kind} and id = any(${ids}::uuid[])`);
  return new Map(found.map((each) => [each.id, each]));
}

export type NewImported = { id: string; hereId: string; hash: Buffer; version?: number };

export async function noteImported(
  tx: Tx,
  workspaceId: WorkspaceId,
  kind: RecordKind,
  records: readonly NewImported[],
): Promise<void> {
  if (records.length === 0) return;
  await tx.run(sql`
    insert into imported_records (workspace_id, kind, id, here_id, content_hash, version)
    select ${workspaceId}, ${kind}, r.id, r.here_id, decode(r.hash, 'hex'), r.version
    from unnest(${records.map(({ id }) => id)}::uuid[], ${records.map(({ hereId }) => hereId)}::uuid[],
      ${records.map(({ hash }) => hash.toString('hex'))}::text[],
      ${records.map(({ version }) => version ?? null)}::integer[]) r (id, here_id, hash, version)
    on conflict (workspace_id, kind, id) do update
    set here_id = excluded.here_id, content_hash = excluded.content_hash, version = excluded.version`);
}
