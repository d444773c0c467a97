import { type Fact, record } from '../activity/record.ts';
import { invalidRequest } from '../lib/errors.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { type Tx, together } from '../platform/db.ts';
import { enqueue } from '../platform/enqueue.ts';
import { findLocked, saveTicket } from './change.ts';

/** Longer is a slip of the hand; and every time that we write has a year of four digits. */
const yearsMax = 100;

/** The instant that an agent names for a ticket to wake, as it is stored. Throws 400 for one that is past or absurdly far. */
export function wakeTimeOf(tx: Tx, named: string): string {
  const until = new Date(named);
  const latest = new Date(tx.now);
  latest.setUTCFullYear(latest.getUTCFullYear() + yearsMax);
  if (until > tx.now && until <= latest) return until.toISOString();
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
  const about = { workspaceId, ticketId, actor: { type: 'system' } } satisfies Partial<Fact<'ticket.woken'>>;
  await together([
    saveTicket(tx, workspaceId, { ...before, snoozedUntil: null, status: 'open', archivedAt: null }),
    record(tx, { ...about, type: 'ticket.woken', data: { by: 'time' } }),
    before.status === 'open'
      ? undefined
      : record(tx, {
          ...about,
          type: 'ticket.status_changed',
          data: { from: before.status, to: 'open', reason: null },
        }),
    before.archivedAt === null ? undefined : record(tx, { ...about, type: 'ticket.unarchived', data: {} }),
  ]);
}
