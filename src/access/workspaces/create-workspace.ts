import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError, rateLimited } from '../../ground/lib/errors.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { daySeconds, takeOfDay } from '../accounts/limits/day-counts.ts';
import { audit } from '../audit/audit.ts';
import { addInboundAddress } from './inbound-address.ts';
import { workspacesMax } from './queries.ts';
import type { Workspace } from './schema.ts';

/** Creates a workspace with its first owner. Throws 409 `workspace.too_many`. */
export async function createWorkspace(tx: Tx, input: { name: string; ownerId: UserId }): Promise<Workspace> {
  const id: WorkspaceId = tx.newId();
  await refuseTooManyWorkspaces(tx, input.ownerId);
  await together([
    tx.run(sql`insert into workspaces (id, name, created_at) values (${id}, ${input.name}, ${tx.now})`),
    addInboundAddress(tx, id),
    tx.run(sql`insert into ticket_counters (workspace_id, last_number) values (${id}, 0)`),
    tx.run(sql`
      insert into members (workspace_id, user_id, role, created_at)
      values (${id}, ${input.ownerId}, 'owner', ${tx.now})`),
    audit(
      tx,
      { workspaceId: id, userId: input.ownerId },
      { type: 'workspace.created', subjectId: id, data: { name: input.name } },
    ),
  ]);
  return { id, name: input.name, role: 'owner' };
}

/** Throws 429 when an account has created as many workspaces within a day as allowed. */
export async function limitNewWorkspaces(tx: Tx, userId: UserId, perDayMax: number): Promise<void> {
  const reached = await takeOfDay(tx, [{ subject: `workspaces of ${userId}`, max: perDayMax }], 1);
  if (reached === undefined) return;
  throw rateLimited({ name: 'new-workspaces', max: perDayMax, windowSeconds: daySeconds }, reached.waitSeconds);
}

/** Throws 409 when a user is in as many workspaces as allowed. Locks the user, so that concurrent joins take turns. */
export async function refuseTooManyWorkspaces(tx: Tx, userId: UserId): Promise<void> {
  const [, { count }] = await together([
    tx.run(sql`select 1 from users where id = ${userId} for no key update`),
    tx.one<{ count: number }>(sql`select count(*) from members where user_id = ${userId} and removed_at is null`),
  ]);
  if (count >= workspacesMax) throw new AppError('workspace.too_many', { max: workspacesMax });
}
