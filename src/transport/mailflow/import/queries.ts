import type { Queryable } from '../../../ground/database/db.ts';
import { type Sql, sql } from '../../../ground/database/sql.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import type { Import, ImportWithProblems } from './schema.ts';

const listedMax = 50;
const namesMax = 10;

/** An upload that is still under way is no import yet. */
const columnsOf = (workspaceId: WorkspaceId): Sql => sql`
  i.id, i.created_by as "createdBy", i.created_at as "createdAt", i.status, i.own_addresses as "ownAddresses",
  f.names as "fileNames", f.count as "fileCount", i.state, i.failure, i.finished_at as "finishedAt",
  i.size_bytes as size, i.processed_bytes as processed, i.read, i.taken as imported, i.known, i.quarantined,
  i.passed_over as "passedOver", i.tickets,
  json_build_object('drafts', i.drafts_left_out, 'deleted', i.deleted_left_out, 'spam', i.spam_left_out,
    'chats', i.chats_left_out) as "leftOut",
  case when i.worked_ms > 0 then round(i.read * 1000.0 / i.worked_ms, 1)::double precision end as "mailsPerSecond",
  case when i.state = 'running' and i.processed_bytes > 0
    then least(
      ceil((i.size_bytes - i.processed_bytes) * (i.worked_ms / 1000.0) / i.processed_bytes), 2147483647)::integer
  end as "secondsLeft"
  from mail_imports i
  cross join lateral (
    select count(*) as count,
      coalesce(array_agg(n.file_name order by n.position) filter (where n.position < ${namesMax}), '{}') as names
    from mail_import_files n
    where n.workspace_id = ${workspaceId} and n.import_id = i.id
  ) f
  where i.workspace_id = ${workspaceId} and i.state <> 'receiving'`;

/** The newest first. */
export function listImports(db: Queryable, workspaceId: WorkspaceId): Promise<Import[]> {
  return db.rows<Import>(sql`select ${columnsOf(workspaceId)} order by i.id desc limit ${listedMax}`);
}

/** Throws 404. */
export async function getImport(db: Queryable, workspaceId: WorkspaceId, id: string): Promise<Import> {
  const found = await db.maybe<Import>(sql`select ${columnsOf(workspaceId)} and i.id = ${id}`);
  if (found === undefined) throw new AppError('import.not_found');
  return found;
}

/** An import with the list of files and mails that it passed over. */
export async function readImport(db: Queryable, workspaceId: WorkspaceId, id: string): Promise<ImportWithProblems> {
  const found = await getImport(db, workspaceId, id);
  const { problems } = await db.one<Pick<ImportWithProblems, 'problems'>>(sql`
    select problems from mail_imports where workspace_id = ${workspaceId} and id = ${id}`);
  return { ...found, problems };
}
