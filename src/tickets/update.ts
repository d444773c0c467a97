import { record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import type { Events, TicketEventType } from '../catalog/events.ts';
import { type Contact, upsertContact } from '../contacts/upsert.ts';
import { type Tx, together } from '../database/db.ts';
import { foldTags } from '../lib/fold-tags.ts';
import type { UserId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import { asAssigneeFault, lockTicket, saveTicket, type Target } from './change.ts';
import { ownTags } from './own-tags.ts';
import { priorityKey } from './priority.ts';
import { addParticipants, refreshTicketSearch } from './rows.ts';
import type { Ticket } from './schema.ts';
import { wakeTimeOf } from './snooze.ts';
import { changedTags, spelledChanges, type TagsInput, tagChanges } from './tags.ts';

export type UpdateTicket = TagsInput & {
  subject?: string;
  assigneeId?: UserId | null;
  priority?: string;
  requester?: { email: string; name?: string | null } | null;
  /** RFC 3339, in the future; null ends the snooze. */
  snoozedUntil?: string | null;
  /** Groups the changes of one bulk request, so that each person is notified once. */
  bulkId?: string;
};

/** Changes the given fields. An unchanged field records no fact; a change of nothing keeps the version. */
export async function updateTicket(
  tx: Tx,
  actor: Actor,
  { ifMatch, ticketId, bulkId, ...input }: UpdateTicket & Omit<Target, 'workspaceId'>,
): Promise<Ticket> {
  const { workspaceId } = actor;
  checkUpdate(tx.now, input);
  // Writes contacts before locking the ticket, as the ingest does. The same lock order avoids deadlocks.
  const named = input.requester
    ? await upsertContact(tx, workspaceId, { email: input.requester.email, name: input.requester.name || null })
    : input.requester;
  const before = await lockTicket(tx, { workspaceId, ticketId, ifMatch });
  const requester = isSamePerson(before.requester, named) ? undefined : named;
  const after = changedTicket(tx.now, before, { ...input, requester });
  const facts = factsOf(before, after);
  if (facts.length === 0) {
    // A new name belongs to the contact: the ticket stays unchanged, but its search vector holds the name.
    if (named) await refreshTicketSearch(tx, workspaceId, ticketId);
    return before;
  }

  const saved = saveTicket(tx, workspaceId, after);
  const [ticket] = await together([
    saved.catch((error) => Promise.reject(asAssigneeFault(error))),
    ...facts.map((fact) =>
      record(tx, { workspaceId, ticketId, actor: { type: 'agent', userId: actor.userId }, ...fact, bulkId }),
    ),
    requester ? addParticipants(tx, { workspaceId, ticketId }, [requester.id]) : undefined,
    ownTags(tx, { workspaceId, ticketId }, tagChanges(before.tags, after.tags)),
  ]);
  if (before.subject !== after.subject || requester !== undefined) await refreshTicketSearch(tx, workspaceId, ticketId);
  return ticket;
}

/** Checks the parts of a change that need no ticket. Throws `request.invalid`. */
export function checkUpdate(now: Date, { tags = [], addTags = [], snoozedUntil }: UpdateTicket): void {
  foldTags(tags);
  foldTags(addTags, 'body.addTags');
  if (snoozedUntil) wakeTimeOf(now, snoozedUntil);
}

function changedTicket(
  now: Date,
  before: Ticket,
  { requester, snoozedUntil, ...input }: Omit<UpdateTicket, 'requester'> & { requester: Contact | null | undefined },
): Ticket {
  return {
    ...before,
    subject: input.subject ?? before.subject,
    assigneeId: input.assigneeId === undefined ? before.assigneeId : input.assigneeId,
    priority: input.priority === undefined ? before.priority : priorityKey(input.priority),
    tags: changedTags(before.tags, input),
    requester: requester
      ? { contactId: requester.id, email: requester.email, name: requester.name }
      : requester === null
        ? null
        : before.requester,
    snoozedUntil: snoozedUntil ? wakeTimeOf(now, snoozedUntil) : snoozedUntil === null ? null : before.snoozedUntil,
  };
}

/** Undefined means that the request names no requester, so the requester stays. */
function isSamePerson(before: Ticket['requester'], named: Contact | null | undefined): boolean {
  if (named === undefined) return true;
  if (named === null || before === null) return named === before;
  return caseKey(before.email) === caseKey(named.email);
}

type Change = { [Type in TicketEventType]: { type: Type; data: Events[Type] } }[TicketEventType];

/** The facts of changed fields, except of status and archive. */
export function factsOf(before: Ticket, after: Ticket): Change[] {
  const facts: Change[] = [];
  if (before.subject !== after.subject)
    facts.push({ type: 'ticket.subject_changed', data: { from: before.subject, to: after.subject } });
  if (before.assigneeId !== after.assigneeId)
    facts.push({ type: 'ticket.assigned', data: { from: before.assigneeId, to: after.assigneeId } });
  if (before.priority !== after.priority)
    facts.push({ type: 'ticket.priority_changed', data: { from: before.priority, to: after.priority } });
  const tags = spelledChanges(before.tags, after.tags);
  if (tags.added.length > 0 || tags.removed.length > 0) facts.push({ type: 'ticket.tagged', data: tags });
  if (before.requester?.email !== after.requester?.email) {
    facts.push({
      type: 'ticket.requester_changed',
      data: { from: before.requester?.email ?? null, to: after.requester?.email ?? null },
    });
  }
  if (before.snoozedUntil !== after.snoozedUntil) {
    facts.push(
      after.snoozedUntil === null
        ? { type: 'ticket.woken', data: { by: 'agent' } }
        : { type: 'ticket.snoozed', data: { until: after.snoozedUntil } },
    );
  }
  return facts;
}
