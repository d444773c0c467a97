import type { Actor } from '../catalog/actor.ts';
import type { Jobs } from '../catalog/jobs.ts';
import type { Db, Tx } from '../database/db.ts';
import type { UserId } from '../lib/ids.ts';
import { dropDefaultAssignee } from '../mailboxes/default-assignee.ts';
import { dropDraftsOf } from '../messages/keep-draft.ts';
import { enqueue } from '../queue/enqueue.ts';
import { dropUnreadOf } from '../tickets/unread.ts';
import { closeMembership, dropMembership, isLeaving, removeMember } from '../workspaces/remove-member.ts';
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
  const membership = { workspaceId, userId };
  // Else it was done before, and who is a member of this name now was invited again.
  if (!(await isLeaving(tx, membership))) return true;
  const tickets = { workspaceId, assigneeId: userId, byUserId };
  if (!(await unassignTickets(tx, tickets))) return false;
  // Not before: who assigns a ticket holds it first and then the member, and would be waited for crosswise.
  await closeMembership(tx, membership);
  await dropDefaultAssignee(tx, membership);
  // What was assigned meanwhile.
  if (!(await unassignTickets(tx, tickets))) return false;
  await dropUnreadOf(tx, membership);
  await dropMembership(tx, membership);
  await dropDraftsOf(tx, membership);
  return true;
}
