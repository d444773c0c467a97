import type { Tx } from '../database/db.ts';
import { invalidRequest } from '../lib/errors.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { enqueue } from '../queue/enqueue.ts';
import { findLocked } from './change.ts';
import { reopenTicket } from './reopen.ts';

/** Longer is a slip of the hand; and every time that we write has a year of four digits. */
const yearsMax = 100;

/** The instant that an agent names for a ticket to wake, as it is stored. Throws 400 for one that is past or absurdly far. */
export function wakeTimeOf(now: Date, named: string): string {
  const until = new Date(named);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + yearsMax);
  if (until > now && until <= latest) return until.toISOString();
  throw invalidRequest({ path: 'body.snoozedUntil', message: `must lie in the future, ${yearsMax} years at most` });
}

/** Has a snoozed ticket woken at this time, and no longer at the one that was set before. */
export async function scheduleWake(
  tx: Tx,
  { workspaceId, ticketId, until }: { workspaceId: WorkspaceId; ticketId: TicketId; until: string },
): Promise<void> {
  await enqueue(
    tx,
    'ticket.wake',
    { workspaceId, ticketId },
    { key: `ticket.wake:${workspaceId}:${ticketId}`, runAt: new Date(until) },
  );
}

/**
 * Brings a ticket whose time has come back to the inbox: open, and out of the archive. One that is awake, gone or merged away
 * is left alone; one that was snoozed anew meanwhile is woken at its new time.
 */
export async function wakeTicket(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
): Promise<void> {
  const before = await findLocked(tx, workspaceId, ticketId);
  if (before === undefined || before.mergedIntoId !== null || before.snoozedUntil === null) return;
  if (before.snoozedUntil > tx.now.toISOString()) {
    await scheduleWake(tx, { workspaceId, ticketId, until: before.snoozedUntil });
    return;
  }
  await reopenTicket(tx, workspaceId, { ticket: before, wokenBy: 'time' });
}
