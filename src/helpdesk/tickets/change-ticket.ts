import type { Automation, Doer } from '../../ground/catalog/doer.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { requireConnected } from '../../mail/mailboxes/queries.ts';
import { upsertContact } from '../contacts/upsert.ts';
import { findLocked, lockTree, refuseMerged, refuseSpam, refuseStale, saveTicket, type Target } from './change.ts';
import { followMove, type Locked } from './move-ticket.ts';
import { type Missed, recordChange } from './record-change.ts';
import { refreshTicketSearch } from './rows.ts';
import type { Ticket, TicketChange } from './schema.ts';
import { refuseOutside, withTeamOfMailbox } from './teams/team-of-ticket.ts';
import {
  applied,
  awake,
  type ChangeWithContact,
  checkChange,
  factsBetween,
  moves,
  onlyMoves,
  placed,
} from './ticket-change.ts';

/**
 * Changes a ticket. What is as wanted already is no fact, and a change of nothing keeps the version.
 * Throws 404, 412, and 409 for a merged ticket. Spam refuses other changes with 409, until one brings it back.
 */
export async function changeTicket(
  tx: Tx,
  by: Doer,
  { ticketId, ifMatch }: Target,
  { requester: named, ...change }: TicketChange,
): Promise<Ticket> {
  const { workspaceId } = by;
  checkChange(tx.now, change);
  // Writes contacts before locking the ticket, as the ingest does. The same lock order avoids deadlocks.
  const requester = named ? await findRequester(tx, workspaceId, named) : named;
  const tree = moves(change) ? await lockTree(tx, by, ticketId) : [];
  const before = await findLocked(tx, by, ticketId, { evenTrash: true });
  if (before === undefined) throw new AppError('ticket.not_found');
  const wanted = { ...change, ...(requester !== undefined && { requester }) };
  const ticket = await changeLocked(tx, by, { before, tree }, wanted, ifMatch);
  // A new name belongs to the contact: the ticket stays unchanged, but its search vector holds the name.
  if (ticket === before && named) await refreshTicketSearch(tx, workspaceId, ticketId);
  return ticket;
}

/** Does the same with a ticket that is locked already, even in the trash. */
export async function changeLocked(
  tx: Tx,
  by: Doer,
  { before, tree }: Locked,
  change: ChangeWithContact,
  ifMatch?: Target['ifMatch'],
): Promise<Ticket> {
  const { workspaceId } = by;
  refuse(before, change, ifMatch);
  const missed = change.spam === false ? await takeMissed(tx, by, before) : null;
  // A mail that came while the ticket was spam opens it.
  const wanted = await withTeamOfMailbox(tx, workspaceId, before, change);
  const after = applied(missed === null ? before : { ...before, ...awake }, wanted, tx.now);
  if (factsBetween(before, after).length === 0) return before;
  // A bulk change may reach the ticket long after it was asked for.
  if (after.mailboxId !== null && after.mailboxId !== before.mailboxId)
    await requireConnected(tx, workspaceId, after.mailboxId);
  await refuseOutside(tx, workspaceId, { before, after });
  const [ticket] = await together([
    saveTicket(tx, workspaceId, after),
    recordChange(tx, by, { before, after, missed, reason: change.reason }),
  ]);
  await followMove(tx, by, { before, after, tree, missedId: missed?.id ?? null });
  if (before.subject !== after.subject || before.requester?.contactId !== after.requester?.contactId)
    await refreshTicketSearch(tx, workspaceId, after.id);
  return ticket;
}

/**
 * Gives a ticket back values that it had before. Unlike a change, it takes past times, and notifies nobody: a ticket
 * whose snooze would have ended meanwhile wakes at once. Throws 404, and 409 for a merged ticket.
 */
export async function giveBack(tx: Tx, by: Doer, { before, tree }: Locked, earlier: Partial<Ticket>): Promise<void> {
  const { workspaceId } = by;
  if (before.trashedAt !== null && earlier.trashedAt === undefined) throw new AppError('ticket.not_found');
  refuseMerged(before);
  const missed = earlier.spamAt === null ? await takeMissed(tx, by, before) : null;
  const given = { ...before, ...(missed !== null && awake), ...earlier };
  const after = placed(given, given);
  await together([saveTicket(tx, workspaceId, after), recordChange(tx, by, { before, after, missed, isQuiet: true })]);
  await followMove(tx, by, { before, after, tree, missedId: missed?.id ?? null });
}

/** Brings a locked ticket back into view: open, unarchived, awake. Leaves a visible ticket and spam unchanged. */
export async function reopenTicket(tx: Tx, by: Automation, before: Ticket): Promise<void> {
  const { workspaceId } = by;
  const after = { ...before, ...awake };
  if (before.spamAt !== null || factsBetween(before, after).length === 0) return;
  await together([saveTicket(tx, workspaceId, after), recordChange(tx, by, { before, after })]);
}

async function findRequester(
  tx: Tx,
  workspaceId: WorkspaceId,
  { email, name }: NonNullable<TicketChange['requester']>,
): Promise<Ticket['requester']> {
  const contact = await upsertContact(tx, workspaceId, { email, name: name || null });
  return { contactId: contact.id, email: contact.email, name: contact.name };
}

/** A move that is made already is not refused as stale. */
function refuse(before: Ticket, change: ChangeWithContact, ifMatch: Target['ifMatch']): void {
  const { trash, spam } = change;
  const isMove = onlyMoves(change);
  const isInTrash = before.trashedAt !== null;
  if (isInTrash && trash !== false && !(isMove && spam === undefined)) throw new AppError('ticket.not_found');
  if (isMove && trash !== true) refuseMerged(before);
  const isMade = (trash ?? isInTrash) === isInTrash && (spam ?? before.spamAt !== null) === (before.spamAt !== null);
  if (isMove && isMade) return;
  refuseStale(before, ifMatch);
  refuseMerged(before);
  if (!isMove && spam !== false) refuseSpam(before);
}

/** Reads which mail told nobody while a ticket was spam, and forgets it. */
async function takeMissed(tx: Tx, scope: Scope, { id, spamAt }: Ticket): Promise<Missed | null> {
  const { workspaceId } = scope;
  if (spamAt === null) return null;
  const [missed] = await together([
    tx.maybe<Missed>(sql`
      select t.missed_message_id as id, exists (
        select from activity a
        where a.workspace_id = ${workspaceId} and a.ticket_id = ${id} and a.type = 'ticket.created'
          and a.created_at = t.spam_at
      ) as "isNewTicket"
      from tickets t
      where t.workspace_id = ${workspaceId} and t.id = ${id} and t.missed_message_id is not null
        and ${visible(scope, 't')}`),
    tx.run(sql`
      update tickets set missed_message_id = null
      where workspace_id = ${workspaceId} and id = ${id} and missed_message_id is not null`),
  ]);
  return missed ?? null;
}
