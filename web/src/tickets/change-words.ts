import type { Ticket } from '../api/client.ts';
import { fullTime } from '../lib/dates.ts';
import { words } from '../words/words.ts';
import { priorityWords } from './priority-words.ts';
import type { FieldChange, TicketChange } from './ticket-change.ts';

/**
 * Describes a change. The text names the ticket, because the screen may show the next ticket already.
 * @param target the ticket of a merge that takes the others in
 */
export function changeWords(tickets: readonly Ticket[], change: TicketChange, target?: Ticket): string {
  const [first, ...others] = tickets;
  const what =
    others.length === 0 ? `#${first?.ticketNumber ?? ''}` : words('change.tickets', { count: tickets.length });
  if (change.kind === 'merge') return words('change.merge', { what, number: target?.ticketNumber ?? '' });
  if (change.kind === 'unmerge') return words('change.unmerge', { what });
  return words('change.line', { what, done: doneWords(change.fields) });
}

function doneWords(fields: FieldChange) {
  const { status, assigneeId, priority, subject, addTags, removeTags, snoozedUntil, archive, trash, spam } = fields;
  const done = [
    status !== undefined && words(`change.status.${status}`),
    assigneeId !== undefined && words(assigneeId === null ? 'change.unassigned' : 'change.assigned'),
    priority !== undefined && words('change.priority', { priority: priorityWords(priority) }),
    subject !== undefined && words('change.subject'),
    (addTags !== undefined || removeTags !== undefined) && words('change.tags'),
    snoozedUntil !== undefined &&
      (snoozedUntil === null ? words('change.woken') : words('change.snoozed', { time: fullTime(snoozedUntil) })),
    archive !== undefined && words(archive ? 'change.archived' : 'change.unarchived'),
    trash !== undefined && words(trash ? 'change.trashed' : 'change.restored'),
    spam !== undefined && words(spam ? 'change.spam' : 'change.notSpam'),
  ];
  return done.filter((part) => part !== false).join(', ');
}
