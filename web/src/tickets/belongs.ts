import type { Ticket } from '../api/client.ts';
import { type ListParameters, times } from './lists.ts';

export type Looker = { userId: string; now: Date };

/** Filters that a row alone can decide. */
const decidable = new Set<string>(
  ['status', 'assignee', 'mailbox', 'priority', 'tags', 'archived', 'trash', 'spam', 'snoozed', 'hasAttachment'].concat(
    times,
  ),
);
/** Parameters that do not change which tickets are in a list. */
const without = new Set<string>(['sort', 'order', 'limit', 'cursor', 'count', 'offset']);

/**
 * Whether rows alone decide which tickets a list has. Only the service knows search results, unread and followed
 * tickets.
 */
export function isDecidable(list: ListParameters): boolean {
  return Object.entries(list).every(([name, value]) => value === undefined || decidable.has(name) || without.has(name));
}

/** Whether a ticket is in a list that is decidable, by the rules of the API's `listTickets`. */
export function belongs(list: ListParameters, row: Ticket, { userId, now }: Looker): boolean {
  const { status, assignee, priority, tags, snoozed } = list;
  const isOfHidden = list.trash === true || list.spam === true;
  if (isOfHidden ? !isHidden(list, row) : !isOutside(list, row)) return false;
  if (status !== undefined && !status.includes(row.status)) return false;
  const isSnoozed = row.snoozedUntil !== null && new Date(row.snoozedUntil) > now;
  // Trash and spam show snoozed tickets unless they are asked about them.
  if (isSnoozed !== (snoozed === true) && (!isOfHidden || snoozed !== undefined)) return false;
  if (assignee !== undefined && !assignee.some((asked) => isAssignee(asked, row.assigneeId, userId))) return false;
  if (priority !== undefined && row.priority !== caseKey(priority)) return false;
  if (list.mailbox !== undefined && !list.mailbox.some((id) => id === row.mailboxId)) return false;
  if (list.hasAttachment !== undefined && row.attachmentCount > 0 !== list.hasAttachment) return false;
  if (list.sort === 'waitingSince' && row.waitingSince === null) return false;
  if (!isWithin(row.createdAt, list.createdFrom, list.createdTo)) return false;
  if (!isWithin(row.lastMessageAt, list.lastMessageFrom, list.lastMessageTo)) return false;
  const keys = new Set(row.tags.map(caseKey));
  return tags === undefined || tags.every((tag) => keys.has(caseKey(tag)));
}

/** Whether a ticket is in a list of the trash or of spam. Spam in the trash is only in lists of the trash. */
function isHidden({ trash, spam }: ListParameters, { trashedAt, spamAt, mergedIntoId }: Ticket): boolean {
  return mergedIntoId === null && (trashedAt !== null) === (trash === true) && (spam !== true || spamAt !== null);
}

/** Whether a ticket outside trash and spam is in a list, by the list's rules for archived and merged tickets. */
function isOutside({ archived = 'false', status }: ListParameters, row: Ticket): boolean {
  if (row.trashedAt !== null || row.spamAt !== null) return false;
  if (archived === 'any') return true;
  if ((row.archivedAt !== null) !== (archived === 'true')) return false;
  return row.mergedIntoId === null || status?.includes('closed') === true;
}

function isWithin(time: string, from: string | undefined, to: string | undefined): boolean {
  const at = Date.parse(time);
  return (from === undefined || at >= Date.parse(from)) && (to === undefined || at < Date.parse(to));
}

function isAssignee(written: string, assigneeId: string | null, userId: string): boolean {
  const asked = written.trim().toLowerCase();
  if (asked === 'none') return assigneeId === null;
  return assigneeId === (asked === 'me' ? userId : asked);
}

/** A form of a name that ignores case, as the service compares tags and priorities. */
export function caseKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
