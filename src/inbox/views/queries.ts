import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { foldText } from '../../ground/lib/text.ts';
import type { View } from './schema.ts';

const viewColumns: Sql = sql`v.id, v.name, v.query, v.owner_id is null as "isShared", v.created_by as "createdBy",
  v.created_at as "createdAt", v.updated_at as "updatedAt"`;

/** The condition that the actor may see view `v`. */
const isSeenBy = ({ userId }: Actor): Sql => sql`(v.owner_id is null or v.owner_id = ${userId})`;

/** The actor's own views and the shared views, by name. */
export async function listViews(db: Queryable, actor: Actor): Promise<View[]> {
  const views = await db.rows<View>(sql`
    select ${viewColumns}
    from views v
    where v.workspace_id = ${actor.workspaceId} and ${isSeenBy(actor)}
    order by v.id`);
  const keyed = views.map((view) => ({ view, key: foldText(view.name) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ view }) => view);
}

/** Throws 404 for a missing view, and for another member's personal view. */
export async function getView(db: Queryable, actor: Actor, viewId: string): Promise<View> {
  const view = await db.maybe<View>(sql`
    select ${viewColumns}
    from views v
    where v.workspace_id = ${actor.workspaceId} and v.id = ${viewId} and ${isSeenBy(actor)}`);
  if (view === undefined) throw new AppError('view.not_found');
  return view;
}
