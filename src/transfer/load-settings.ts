import type { Static } from 'typebox';
import { type Tx, together } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import { carriedColumns, carriedValues, replacedColumns } from '../database/table-sql.ts';
import { sanitizeHtml } from '../lib/html/sanitize.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { foldText } from '../lib/text.ts';
import { searchVectorOf } from '../replies/keep-saved-reply.ts';
import { readSender } from '../spam/sender.ts';
import { type IdsHere, withIdsHere } from './ids-here.ts';
import { findImported, noteImported, type RecordKind } from './imported-records.ts';
import { RefusedRecord } from './problems.ts';
import type { ReadRecord } from './read-export.ts';
import type { AttachmentRecord } from './record-fields.ts';
import { rowOf, rowsOf } from './rows.ts';
import type {
  auditRecord,
  blockedSenderRecord,
  draftRecord,
  savedReplyRecord,
  viewRecord,
} from './workspace-records.ts';

/** Blocked senders, saved replies, views, drafts and the audit log of an import. */

export type SettingOutcome = 'new' | 'updated' | 'known';

type Place = { workspaceId: WorkspaceId; ids: IdsHere };

/**
 * Writes a record that is new, or that has changed in the source. A record that was deleted here stays deleted. The
 * inserts return ids, because Citus otherwise counts rows that are there already as inserted.
 */
async function load(
  tx: Tx,
  { workspaceId, kind, id, hash }: { workspaceId: WorkspaceId; kind: RecordKind; id: string; hash: Buffer },
  write: { insert: Sql; update: Sql | undefined; rest?: () => Promise<void> },
): Promise<SettingOutcome> {
  const earlier = (await findImported(tx, workspaceId, kind, [id])).get(id);
  if (earlier?.hash === hash.toString('hex') || (earlier !== undefined && write.update === undefined)) return 'known';
  const written = await tx.run(earlier === undefined ? write.insert : (write.update ?? write.insert));
  if (written === 0 && earlier === undefined)
    throw new RefusedRecord('a record with this id is here already, and came from no import');
  if (written > 0) await write.rest?.();
  await noteImported(tx, workspaceId, kind, [{ id, hereId: id, hash }]);
  return earlier === undefined ? 'new' : 'updated';
}

export function loadSavedReply(
  tx: Tx,
  { workspaceId, ids }: Place,
  { content, hash }: ReadRecord<Static<typeof savedReplyRecord>>,
): Promise<SettingOutcome> {
  const reply = withIdsHere(content, ids);
  const { id, name, shortcut = null, body, bodyHtml = null, attachments = [] } = reply;
  const row = JSON.stringify({
    ...rowOf({ actions: {}, version: 1, ...reply }),
    body_html: bodyHtml === null ? null : sanitizeHtml(bodyHtml),
    name_key: foldText(name),
    search: searchVectorOf({ name, shortcut, body }),
  });
  const values = sql`json_populate_record(null::saved_replies, ${row}::json) r`;
  return load(
    tx,
    { workspaceId, kind: 'saved_reply', id, hash },
    {
      insert: sql`
      insert into saved_replies (workspace_id, ${carriedColumns('saved_replies')}, name_key, search)
      select ${workspaceId}, ${carriedValues('saved_replies', 'r')}, r.name_key, r.search
      from ${values}
      on conflict (workspace_id, id) do nothing
      returning id`,
      update: sql`
      update saved_replies s
      set ${replacedColumns('saved_replies', 'r')}, name_key = r.name_key, search = r.search
      from ${values}
      where s.workspace_id = ${workspaceId} and s.id = r.id`,
      rest: () => replaceFiles(tx, workspaceId, { savedReplyId: id }, attachments),
    },
  );
}

export function loadBlockedSender(
  tx: Tx,
  { workspaceId, ids }: Place,
  { content, hash }: ReadRecord<Static<typeof blockedSenderRecord>>,
): Promise<SettingOutcome> {
  const { id, sender, createdBy, createdAt } = withIdsHere(content, ids);
  const key = readSender(sender)?.key;
  if (key === undefined) throw new RefusedRecord('the sender is no mail address and no domain');
  return load(
    tx,
    { workspaceId, kind: 'blocked_sender', id, hash },
    {
      insert: sql`
      insert into blocked_senders (workspace_id, id, sender, sender_key, created_by, created_at)
      values (${workspaceId}, ${id}, ${sender}, ${key}, ${createdBy}, ${createdAt})
      on conflict (workspace_id, id) do nothing
      returning id`,
      update: undefined,
    },
  );
}

export function loadView(
  tx: Tx,
  { workspaceId, ids }: Place,
  { content, hash }: ReadRecord<Static<typeof viewRecord>>,
): Promise<SettingOutcome> {
  const view = withIdsHere(content, ids);
  const values = sql`json_populate_record(null::views, ${JSON.stringify(rowOf(view))}::json) r`;
  return load(
    tx,
    { workspaceId, kind: 'view', id: view.id, hash },
    {
      insert: sql`
      insert into views (workspace_id, ${carriedColumns('views')})
      select ${workspaceId}, ${carriedValues('views', 'r')}
      from ${values}
      on conflict (workspace_id, id) do nothing
      returning id`,
      update: sql`
      update views v set ${replacedColumns('views', 'r')}
      from ${values}
      where v.workspace_id = ${workspaceId} and v.id = r.id`,
    },
  );
}

/** A draft stays its author's alone. A draft that is here already stays as it is. */
export function loadDraft(
  tx: Tx,
  { workspaceId, ids }: Place,
  { content, hash }: ReadRecord<Static<typeof draftRecord>>,
): Promise<SettingOutcome> {
  const draft = withIdsHere(content, ids);
  const { id, bodyHtml = null, attachments = [] } = draft;
  const row = JSON.stringify({
    ...rowOf({ version: 1, ...draft }),
    body_html: bodyHtml === null ? null : sanitizeHtml(bodyHtml, { keepsMentions: true }),
  });
  return load(
    tx,
    { workspaceId, kind: 'draft', id, hash },
    {
      insert: sql`
      insert into drafts (workspace_id, ${carriedColumns('drafts')})
      select ${workspaceId}, ${carriedValues('drafts', 'r')}
      from json_populate_record(null::drafts, ${row}::json) r
      on conflict do nothing
      returning id`,
      update: undefined,
      rest: () => replaceFiles(tx, workspaceId, { draftId: id }, attachments),
    },
  );
}

async function replaceFiles(
  tx: Tx,
  workspaceId: WorkspaceId,
  owner: { savedReplyId?: string; draftId?: string },
  attachments: readonly AttachmentRecord[],
): Promise<void> {
  const { savedReplyId, draftId } = { savedReplyId: null, draftId: null, ...owner };
  await together([
    tx.run(sql`
      delete from attachments
      where workspace_id = ${workspaceId} and (saved_reply_id = ${savedReplyId} or draft_id = ${draftId})`),
    tx.run(sql`
      insert into attachments (workspace_id, saved_reply_id, draft_id, ${carriedColumns('attachments')})
      select ${workspaceId}, ${savedReplyId}, ${draftId}, ${carriedValues('attachments', 'r')}
      from json_populate_recordset(null::attachments, ${rowsOf(attachments)}::json) r`),
  ]);
}

/** Entries that are here already stay. @returns how many are new */
export async function loadAudit(
  tx: Tx,
  { workspaceId, ids }: Place,
  entries: readonly Static<typeof auditRecord>[],
): Promise<number> {
  const rows = entries.map((entry) => withIdsHere(entry, ids));
  return tx.run(sql`
    insert into audit_log (workspace_id, ${carriedColumns('audit_log')})
    select ${workspaceId}, ${carriedValues('audit_log', 'r')}
    from json_populate_recordset(null::audit_log, ${rowsOf(rows)}::json) r
    on conflict (workspace_id, id) do nothing
    returning id`);
}
