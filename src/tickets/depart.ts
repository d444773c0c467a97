import type { Actor } from '../catalog/actor.ts';
import type { Jobs } from '../catalog/jobs.ts';
import type { UserId } from '../lib/ids.ts';
import type { Db, Tx } from '../platform/db.ts';
import { enqueue } from '../platform/enqueue.ts';
import { dropMembership, lockRemoved, removeMember } from '../workspaces/remove-member.ts';
import { unassignTickets } from './unassign.ts';

export type Departure = Jobs['member.depart'];

/**
 * Removes a member, or oneself, and hands their tickets back, all in one commit unless these are many: then a job hands back
 * the rest. The member is out in either case. It is done below the workspaces because it changes tickets.
 */
export async function departMember(tx: Tx, actor: Actor, userId: UserId): Promise<void> {
  await removeMember(tx, actor, userId);
  const departure = { workspaceId: actor.workspaceId, userId, byUserId: actor.userId };
  if (await handBack(tx, departure)) return;
  await enqueue(tx, 'member.depart', departure, { key: `member.depart:${departure.workspaceId}:${userId}` });
}

/** Hands back what a removed member still has, a batch a commit, so that no ticket is held for long. */
export async function handBackRest(db: Db, departure: Departure): Promise<void> {
  while (!(await db.tx((tx) => handBack(tx, departure))));
}

/** @returns whether all is done */
async function handBack(tx: Tx, { workspaceId, userId, byUserId }: Departure): Promise<boolean> {
  // Before their tickets are read: what is being assigned to them at this moment is then seen, and nothing new comes.
  if (!(await lockRemoved(tx, { workspaceId, userId }))) return true;
  const isDone = await unassignTickets(tx, { workspaceId, assigneeId: userId, byUserId });
  if (isDone) await dropMembership(tx, { workspaceId, userId });
  return isDone;
}
