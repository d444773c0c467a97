import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { roleMay } from '../../ground/catalog/permissions.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { requireNamed } from '../lists/named.ts';
import { listQueryOf } from '../lists/schema.ts';
import { getView } from './queries.ts';
import type { View } from './schema.ts';

/** The limit for each member's own views and for a workspace's shared views. It keeps the list free of paging. */
const viewsMax = 200;

export async function createView(
  tx: Tx,
  actor: Actor,
  { name, query, isShared = false }: Pick<View, 'name' | 'query'> & Partial<Pick<View, 'isShared'>>,
): Promise<View> {
  const { workspaceId, userId } = actor;
  if (isShared) refuseReaders(actor);
  await requireNamed(tx, actor, listQueryOf(query));
  const ownerId = isShared ? null : userId;
  await refuseTooManyViews(tx, actor, isShared);
  const id = tx.newId();
  await tx.run(sql`
    insert into views (workspace_id, id, owner_id, created_by, name, query, created_at, updated_at)
    values (${workspaceId}, ${id}, ${ownerId}, ${userId}, ${name}, ${JSON.stringify(query)}, ${tx.now}, ${tx.now})`);
  return getView(tx, actor, id);
}

/** Anyone who may change tickets may change a shared view. Only its creator may share it or make it personal again. */
export async function updateView(
  tx: Tx,
  actor: Actor,
  { viewId, ...input }: { viewId: string } & Partial<Pick<View, 'name' | 'query' | 'isShared'>>,
): Promise<View> {
  const { workspaceId, userId } = actor;
  // Locks the workspace before the view. All changes use this order, so that they cannot deadlock.
  if (input.isShared !== undefined) await lockWorkspace(tx, workspaceId);
  const before = await lockView(tx, actor, viewId);
  if (Object.keys(input).length === 0) return before;
  const { name, query, isShared } = { ...before, ...input };
  if (before.isShared || isShared) refuseReaders(actor);
  await requireNamed(tx, actor, listQueryOf(query), listQueryOf(before.query));
  if (isShared !== before.isShared) {
    if (before.createdBy !== userId) throw new AppError('auth.role_insufficient');
    await refuseTooManyViews(tx, actor, isShared);
  }
  await tx.run(sql`
    update views
    set name = ${name}, query = ${JSON.stringify(query)}, owner_id = ${isShared ? null : userId},
      updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${viewId}`);
  return getView(tx, actor, viewId);
}

/** A shared view may be deleted by its creator and by members who manage members. */
export async function deleteView(tx: Tx, actor: Actor, viewId: string): Promise<void> {
  const view = await lockView(tx, actor, viewId);
  const isMaker = view.createdBy === actor.userId && roleMay(actor.role, 'ticket.write');
  if (view.isShared && !isMaker && !roleMay(actor.role, 'member.manage')) throw new AppError('auth.role_insufficient');
  await tx.run(sql`delete from views where workspace_id = ${actor.workspaceId} and id = ${viewId}`);
}

/** Locks the view, so that the second of two concurrent changes sees the first, including a loss of access. */
async function lockView(tx: Tx, actor: Actor, viewId: string): Promise<View> {
  await tx.run(sql`select from views where workspace_id = ${actor.workspaceId} and id = ${viewId} for update`);
  return getView(tx, actor, viewId);
}

function refuseReaders({ role }: Actor): void {
  if (!roleMay(role, 'ticket.write')) throw new AppError('auth.role_insufficient');
}

/** Creations take turns, so that two concurrent ones cannot exceed the limit. Throws 409 `view.too_many`. */
async function refuseTooManyViews(tx: Tx, { workspaceId, userId }: Actor, isShared: boolean): Promise<void> {
  const kind = isShared ? sql`owner_id is null` : sql`owner_id = ${userId}`;
  const [, { count }] = await together([
    lockWorkspace(tx, workspaceId),
    tx.one<{ count: number }>(sql`select count(*) from views where workspace_id = ${workspaceId} and ${kind}`),
  ]);
  if (count >= viewsMax) throw new AppError('view.too_many', { max: viewsMax });
}
