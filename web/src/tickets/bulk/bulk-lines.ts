import { fullTime } from '../../lib/dates.ts';
import { type WordKey, words } from '../../words/words.ts';
import type { Names } from '../filters.ts';
import { priorityWords } from '../priority-words.ts';
import type { BulkChange } from './bulk-changes.ts';

/** Describes a bulk change in words, one line for each part. */
export function bulkLines(change: BulkChange['change'], names: Names): string[] {
  const {
    status,
    reason,
    assigneeId,
    mailboxId,
    teamId,
    priority,
    tags,
    addTags,
    removeTags,
    snoozedUntil,
    archive,
    spam,
    trash,
  } = change;
  const line = (key: WordKey, value: string) => `${words(key)}: ${value}`;
  const lines = [
    status !== undefined && line('ticket.status', words(`status.${status}`)),
    reason !== undefined && line('bulkAll.reason', reason),
    assigneeId !== undefined &&
      line('ticket.assignee', assigneeId === null ? words('ticket.nobody') : names.person(assigneeId)),
    mailboxId !== undefined &&
      line('filter.mailbox', mailboxId === null ? words('new.noMailbox') : names.mailbox(mailboxId)),
    teamId !== undefined && line('ticket.team', teamId === null ? words('ticket.noTeam') : names.team(teamId)),
    priority !== undefined && line('ticket.priority', priorityWords(priority)),
    tags !== undefined && line('ticket.tags', tags.join(', ')),
    addTags !== undefined && line('bulkAll.tagsAdded', addTags.join(', ')),
    removeTags !== undefined && line('bulkAll.tagsRemoved', removeTags.join(', ')),
    snoozedUntil !== undefined &&
      line('ticket.snooze', snoozedUntil === null ? words('bulk.unsnooze') : fullTime(snoozedUntil)),
    archive !== undefined && words(archive ? 'bulkAll.archive' : 'bulkAll.unarchive'),
    spam !== undefined && words(spam ? 'bulkAll.spam' : 'bulkAll.notSpam'),
    trash !== undefined && words(trash ? 'bulkAll.trash' : 'bulkAll.restore'),
  ];
  return lines.filter((each) => each !== false);
}
