import type { Actor } from '../../ground/catalog/actor.ts';
import type { Doer } from '../../ground/catalog/doer.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { snippetOf } from '../../ground/database/snippet.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { searchWords } from '../../ground/lib/text.ts';
import { attachmentJson } from '../files/queries.ts';
import type { ListedSavedReply, ListSavedReplies, StoredSavedReply } from './schema.ts';

export const usesDaysMax = 30;
const typedMax = 1_000;
const wordsMax = 32;

const headColumns: Sql = sql`r.id, r.name, r.shortcut, r.subject, r.actions, r.owner_id is null as "isShared",
  r.created_by as "createdBy", r.created_at as "createdAt", r.updated_at as "updatedAt", r.version`;

/** The condition that the doer may see reply `r`: an automation sees what is shared. */
const isSeenBy = ({ userId }: Pick<Doer, 'userId'>): Sql => sql`(r.owner_id is null or r.owner_id = ${userId})`;

const useCount = (workspaceId: WorkspaceId, now: Date): Sql => sql`coalesce((
    select sum(u.uses)::integer from saved_reply_uses u
    where u.workspace_id = ${workspaceId} and u.saved_reply_id = r.id and u.day > ${firstDay(now)}::date
  ), 0) as "useCount"`;

/** Throws 404 for a missing reply, and for another member's private reply. */
export async function getSavedReply(
  db: Queryable,
  doer: Doer,
  { savedReplyId, now }: { savedReplyId: string; now: Date },
): Promise<StoredSavedReply> {
  const { workspaceId } = doer;
  const reply = await db.maybe<StoredSavedReply>(sql`
    select ${headColumns}, r.body, r.body_html as "bodyHtml", ${useCount(workspaceId, now)},
      coalesce((
        select json_agg(${attachmentJson} order by a.id)
        from attachments a
        where a.workspace_id = ${workspaceId} and a.saved_reply_id = r.id
      ), '[]') as attachments
    from saved_replies r
    where r.workspace_id = ${workspaceId} and r.id = ${savedReplyId} and ${isSeenBy(doer)}`);
  if (reply === undefined) throw new AppError('saved_reply.not_found');
  return reply;
}

/** A workspace has few thousand replies at most, so a list may rank all that match. */
export async function listSavedReplies(
  db: Queryable,
  actor: Actor,
  { search, sort = 'name', limit = 50, cursor, now }: ListSavedReplies & { now: Date },
): Promise<Page<ListedSavedReply>> {
  const { workspaceId, userId } = actor;
  const wanted = search === undefined ? undefined : searchQuery(search);
  const after =
    cursor === undefined
      ? emptySql
      : sql`where (k.rank, k.name_key, k.id) > (
          select o.rank, o.name_key, o.id from ranked o where o.id = ${readIdCursor(cursor)}::uuid)`;
  const rows = await db.rows<ListedSavedReply>(sql`
    with used as materialized (
      select u.saved_reply_id as id, sum(u.uses)::integer as uses,
        sum(u.uses) filter (where u.user_id = ${userId})::integer as own
      from saved_reply_uses u
      where u.workspace_id = ${workspaceId} and u.day > ${firstDay(now)}::date
      group by u.saved_reply_id
    ), ranked as materialized (
      select r.id, r.name_key, coalesce(used.uses, 0) as uses,
        case
          when lower(r.shortcut) = lower(${search?.trim() ?? null}::text) then -2147483648
          when ${sort}::text = 'used' then -(coalesce(used.own, 0) * 1000 + least(coalesce(used.uses, 0), 999))
          else 0
        end as rank
      from saved_replies r
      left join used on used.id = r.id
      where r.workspace_id = ${workspaceId} and ${isSeenBy(actor)}
        and (${wanted ?? null}::text is null or r.search @@ ${wanted ?? null}::text::tsquery)
    )
    select ${headColumns}, k.uses as "useCount",
      ${snippetOf(sql`r.body`)} as snippet,
      (select count(*) from attachments a
        where a.workspace_id = ${workspaceId} and a.saved_reply_id = r.id)::integer as "attachmentCount"
    from (select * from ranked k ${after} order by k.rank, k.name_key, k.id limit ${limit + 1}) k
    join saved_replies r on r.workspace_id = ${workspaceId} and r.id = k.id
    order by k.rank, k.name_key, k.id`);
  return pageOf(rows, limit, ({ id }) => id);
}

/** The text of a tsquery that requires every typed beginning of a word. Undefined for a text without words. */
function searchQuery(typed: string): string | undefined {
  const words = [...new Set(searchWords(typed.slice(0, typedMax)))].slice(0, wordsMax);
  return words.length === 0 ? undefined : words.map((word) => `${word}:*`).join(' & ');
}

const dayMs = 86_400_000;

/** The day before the first that counts. */
function firstDay(now: Date): string {
  return new Date(now.getTime() - usesDaysMax * dayMs).toISOString().slice(0, 10);
}
