import { closeMembership, dropMembership, isLeaving, removeMember } from '../../access/workspaces/remove-member.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Jobs } from '../../ground/catalog/jobs.ts';
import type { Db, Tx } from '../../ground/database/db.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { dropDefaultAssignee } from '../../mail/mailboxes/default-assignee.ts';
import { dropDraftsOf } from '../messages/keep-draft.ts';
import { dropUnreadOf } from '../tickets/unread.ts';
import { unassignTickets } from './unassign.ts';

export type Departure = Jobs['member.depart'];

/**
 * Removes a member, or oneself, and unassigns their tickets in one commit. A job unassigns the rest of very many.
 * The member is out in either case. This code is outside `workspaces` because it changes tickets.
 */
export async function departMember(tx: Tx, actor: Actor, userId: UserId): Promise<void> {
  await removeMember(tx, actor, userId);
  const departure = { workspaceId: actor.workspaceId, userId, byUserId: actor.userId };
  if (await handBack(tx, departure)) return;
  await enqueue(tx, 'member.depart', departure, { key: `member.depart:${departure.workspaceId}:${userId}` });
}

/** Unassigns the rest in batches, one commit each, so that no ticket stays locked for long. */
export async function handBackRest(db: Db, departure: Departure): Promise<void> {
  while (!(await db.tx((tx) => handBack(tx, departure))));
}

/** @returns whether everything is done */
async function handBack(tx: Tx, { workspaceId, userId, byUserId }: Departure): Promise<boolean> {
  const membership = { workspaceId, userId };
  // Otherwise an earlier run has finished, and the present member of this id was invited again.
  if (!(await isLeaving(tx, membership))) return true;
  const tickets = { workspaceId, assigneeId: userId, byUserId };
  if (!(await unassignTickets(tx, tickets))) return false;
  // Comes after the tickets: an assignment locks its ticket before the member, so the reverse order could deadlock.
  await closeMembership(tx, membership);
  await dropDefaultAssignee(tx, membership);
  // Catches tickets that were assigned meanwhile.
  if (!(await unassignTickets(tx, tickets))) return false;
  await dropUnreadOf(tx, membership);
  await dropMembership(tx, membership);
  await dropDraftsOf(tx, membership);
  return true;
}
