import type { Cause, CauseKind } from '../../ground/catalog/cause.ts';
import type { Events, TicketEventType } from '../../ground/catalog/events.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { foldTags } from '../../ground/lib/fold-tags.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { priorityKey } from './priority.ts';
import type { Ticket, TicketChange } from './schema.ts';
import { changedTags, spelledChanges } from './tags.ts';

/** What a change makes of a ticket, and which facts it is. */

/** The state of a ticket that comes back into view. */
export const awake = { status: 'open', archivedAt: null, snoozedUntil: null } as const;

/** Whether a change moves a ticket into or out of the trash or spam. */
export function moves(change: Pick<TicketChange, 'trash' | 'spam'>): boolean {
  return change.trash !== undefined || change.spam !== undefined;
}

/** Whether it does nothing else. */
export function onlyMoves(change: ChangeWithContact): boolean {
  return moves(change) && Object.keys(change).every((name) => ['trash', 'spam', 'reason'].includes(name));
}

/** Checks the parts of a change that need no ticket. Throws `request.invalid`. */
export function checkChange(now: Date, { tags = [], addTags = [], snoozedUntil }: TicketChange): void {
  foldTags(tags);
  foldTags(addTags, 'body.addTags');
  if (snoozedUntil) wakeTimeOf(now, snoozedUntil);
}

/** A longer snooze is a typo. Also, stored times must have years of four digits. */
const snoozeYearsMax = 100;

/** Normalises the time at which an agent wants a ticket to wake. Throws 400 if it is past or absurdly far. */
function wakeTimeOf(now: Date, named: string): string {
  const until = new Date(named);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + snoozeYearsMax);
  if (until > now && until <= latest) return until.toISOString();
  throw invalidRequest({ path: 'body.snoozedUntil', key: 'not_in_future', params: { years: snoozeYearsMax } });
}

/** A change whose requester is a stored contact. */
export type ChangeWithContact = Omit<TicketChange, 'requester'> & Partial<Pick<Ticket, 'requester'>>;

/**
 * The ticket as a change leaves it. First it leaves the trash and spam, then its fields change, and last it enters
 * them. Throws `request.invalid` for more than 50 tags and for a wake time that is past.
 */
export function applied(before: Ticket, change: ChangeWithContact, now: Date): Ticket {
  const { snoozedUntil, archive, trash, spam } = change;
  const at = now.toISOString();
  const ticket = placed(before, {
    trashedAt: trash === false ? null : before.trashedAt,
    spamAt: spam === false ? null : before.spamAt,
  });
  const changed: Ticket = {
    ...ticket,
    subject: change.subject ?? ticket.subject,
    assigneeId: change.assigneeId === undefined ? ticket.assigneeId : change.assigneeId,
    teamId: change.teamId === undefined ? ticket.teamId : change.teamId,
    priority: change.priority === undefined ? ticket.priority : priorityKey(change.priority),
    tags: changedTags(ticket.tags, change),
    requester: requesterAfter(ticket.requester, change.requester),
    mailboxId: change.mailboxId === undefined ? ticket.mailboxId : change.mailboxId,
    snoozedUntil: snoozedUntil ? wakeTimeOf(now, snoozedUntil) : snoozedUntil === null ? null : ticket.snoozedUntil,
    status: change.status ?? ticket.status,
    archivedAt: archive === false ? null : (ticket.archivedAt ?? (archive === true ? at : null)),
  };
  return placed(changed, {
    trashedAt: changed.trashedAt ?? (trash === true ? at : null),
    spamAt: changed.spamAt ?? (spam === true ? at : null),
  });
}

/** Undefined means that the change names no requester. Another name of the same person belongs to the contact. */
function requesterAfter(before: Ticket['requester'], named: Ticket['requester'] | undefined): Ticket['requester'] {
  if (named === undefined) return before;
  return before && named && caseKey(before.email) === caseKey(named.email) ? before : named;
}

type HiddenPlace = Pick<Ticket, 'trashedAt' | 'spamAt'>;

/** In the trash and in spam a ticket is archived as well, so the conditions of the inbox leave it out anyway. */
export function placed(ticket: Ticket, { trashedAt, spamAt }: HiddenPlace): Ticket {
  const hiddenAt = spamAt ?? trashedAt;
  return {
    ...ticket,
    trashedAt,
    spamAt,
    spamReason: spamAt === null ? null : (ticket.spamReason ?? 'marked'),
    archivedAt: hiddenAt === null ? archivedByHand(ticket) : (ticket.archivedAt ?? hiddenAt),
  };
}

/** Since when a ticket is archived for itself, not because it is hidden. */
function archivedByHand({
  archivedAt,
  trashedAt,
  spamAt,
}: Pick<TicketState, 'archivedAt' | keyof HiddenPlace>): string | null {
  return archivedAt === trashedAt || archivedAt === spamAt ? null : archivedAt;
}

/** A fact about a ticket, without who made it. */
export type TicketFact = { [Type in TicketEventType]: { type: Type; data: Events[Type] } }[TicketEventType];

export type Why = {
  /** Why the status changed, in the words of a person. */
  reason?: string | null | undefined;
  cause?: Cause | undefined;
};

const wakers: Partial<Record<CauseKind, Events['ticket.woken']['by']>> = {
  snooze: 'time',
  mail: 'reply',
  delivery: 'delivery',
};

/** The facts of a change, in the order in which it happens. */
export function factsBetween(before: Ticket, after: Ticket, why: Why = {}): TicketFact[] {
  const facts: TicketFact[] = [];
  if (before.trashedAt !== null && after.trashedAt === null) facts.push({ type: 'ticket.restored', data: {} });
  if (before.spamAt !== null && after.spamAt === null)
    facts.push({ type: 'ticket.spam_changed', data: { isSpam: false, reason: null } });
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
  if (before.mailboxId !== after.mailboxId)
    facts.push({ type: 'ticket.mailbox_changed', data: { from: before.mailboxId, to: after.mailboxId } });
  if (before.teamId !== after.teamId)
    facts.push({ type: 'ticket.team_changed', data: { from: before.teamId, to: after.teamId } });
  facts.push(...stateFacts(before, after, why));
  if (before.spamAt === null && after.spamAt !== null)
    facts.push({ type: 'ticket.spam_changed', data: { isSpam: true, reason: after.spamReason } });
  if (before.trashedAt === null && after.trashedAt !== null) facts.push({ type: 'ticket.trashed', data: {} });
  return facts;
}

export type TicketState = Pick<Ticket, 'status' | 'archivedAt' | 'snoozedUntil'> & Partial<HiddenPlace>;

/** The facts of whether the ticket is snoozed, open and archived. */
export function stateFacts(before: TicketState, after: TicketState, { reason = null, cause }: Why = {}): TicketFact[] {
  const facts: TicketFact[] = [];
  if (before.snoozedUntil !== after.snoozedUntil) {
    facts.push(
      after.snoozedUntil === null
        ? { type: 'ticket.woken', data: { by: (cause && wakers[cause.kind]) ?? 'agent' } }
        : { type: 'ticket.snoozed', data: { until: after.snoozedUntil } },
    );
  }
  if (before.status !== after.status)
    facts.push({ type: 'ticket.status_changed', data: { from: before.status, to: after.status, reason } });
  const isArchived = archivedByHand(after) !== null;
  if ((archivedByHand(before) !== null) !== isArchived)
    facts.push({ type: isArchived ? 'ticket.archived' : 'ticket.unarchived', data: {} });
  return facts;
}
