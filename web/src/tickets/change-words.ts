import type { Ticket } from '../api/client.ts';
import { snoozeTime } from '../lib/dates.ts';
import { words } from '../words/words.ts';
import { ownId } from './list-places.ts';
import { priorityWords } from './priority-words.ts';
import type { FieldChange, TicketChange } from './ticket-change.ts';

/**
 * Describes a change. The text names the ticket, because the screen may show the next ticket already.
 * @param target the ticket of a merge that takes the others in
 */
export function changeWords(tickets: readonly Ticket[], change: TicketChange, target?: Ticket): string {
  const what = whatOf(tickets);
  if (change.kind === 'merge') return words('change.merge', { what, number: target?.ticketNumber ?? '' });
  if (change.kind === 'unmerge') return words('change.unmerge', { what });
  const done = [...doneWords(change.fields), takenWords(tickets, change.fields)].filter(Boolean).join(', ');
  return words('change.line', { what, done });
}

/** Says that a change of these tickets is undone. */
export function undoneWords(tickets: readonly Ticket[]): string {
  return words('change.undone', { what: whatOf(tickets), count: tickets.length });
}

function whatOf(tickets: readonly Ticket[]): string {
  const [first, ...others] = tickets;
  return others.length === 0 ? `#${first?.ticketNumber ?? ''}` : words('change.tickets', { count: tickets.length });
}

function doneWords(fields: FieldChange) {
  const {
    status,
    assigneeId,
    mailboxId,
    teamId,
    priority,
    subject,
    addTags,
    removeTags,
    snoozedUntil,
    archive,
    trash,
    spam,
  } = fields;
  return [
    status !== undefined && words(`change.status.${status}`),
    assigneeId !== undefined && words(assigneeId === null ? 'change.unassigned' : 'change.assigned'),
    mailboxId !== undefined && words('change.mailbox'),
    teamId !== undefined && words(teamId === null ? 'change.noTeam' : 'change.team'),
    priority !== undefined && words('change.priority', { priority: priorityWords(priority) }),
    subject !== undefined && words('change.subject'),
    (addTags !== undefined || removeTags !== undefined) && words('change.tags'),
    snoozedUntil !== undefined &&
      (snoozedUntil === null
        ? words('change.woken')
        : words('change.snoozed', { time: snoozeTime(new Date(snoozedUntil)) })),
    archive !== undefined && words(archive ? 'change.archived' : 'change.unarchived'),
    trash !== undefined && words(trash ? 'change.trashed' : 'change.restored'),
    spam !== undefined && words(spam ? 'change.spam' : 'change.notSpam'),
  ];
}

/** How many of several tickets were assigned to colleagues, so that nobody takes them over unawares. */
function takenWords(tickets: readonly Ticket[], { assigneeId }: FieldChange): string | undefined {
  if (assigneeId === undefined || tickets.length === 1) return undefined;
  const free = [null, assigneeId, ownId()];
  const count = tickets.filter((ticket) => !free.includes(ticket.assigneeId)).length;
  return count === 0 ? undefined : words('change.taken', { count });
}
