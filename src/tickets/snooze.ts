import type { Tx } from '../database/db.ts';
import { invalidRequest } from '../lib/errors.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { enqueue } from '../queue/enqueue.ts';
import { findLocked } from './change.ts';
import { reopenTicket } from './reopen.ts';

/** A longer snooze is a typo. Also, stored times must have years of four digits. */
const yearsMax = 100;

/** Normalises the time at which an agent wants a ticket to wake. Throws 400 if it is past or absurdly far. */
export function wakeTimeOf(now: Date, named: string): string {
  const until = new Date(named);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + yearsMax);
  if (until > now && until <= latest) return until.toISOString();
  throw invalidRequest({ path: 'body.snoozedUntil', message: `must be in the future, within ${yearsMax} years` });
}

/** Schedules the wake-up of a snoozed ticket, and replaces an earlier schedule. */
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
 * Reopens a ticket whose snooze is over, and unarchives it. Leaves awake, deleted and merged tickets alone.
 * A ticket that was snoozed again meanwhile is scheduled for its new time.
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
