import type { Ticket } from '../api/client.ts';
import type { ListParameters } from './lists.ts';

export type Looker = { userId: string; now: Date };

/** The parameters that a row alone answers, and those that say nothing about membership. */
const decidable = new Set<string>(['status', 'assignee', 'priority', 'tags', 'archived', 'snoozed']);
const without = new Set<string>(['sort', 'order', 'limit', 'cursor', 'count', 'offset']);

/** Whether rows alone tell what is in a list. Of a search only the service knows. */
export function isDecidable(list: ListParameters): boolean {
  return Object.entries(list).every(([name, value]) => value === undefined || decidable.has(name) || without.has(name));
}

/** Whether a ticket is in a list that is decidable, by the rules of the API's `listTickets`. */
export function belongs(list: ListParameters, row: Ticket, { userId, now }: Looker): boolean {
  const { status, assignee, priority, tags, archived = 'false', snoozed }: Decided = list;
  if (archived !== 'any' && (row.archivedAt !== null) !== (archived === 'true')) return false;
  if (archived !== 'any' && !status?.includes('closed') && row.mergedIntoId !== null) return false;
  if (status !== undefined && !status.includes(row.status)) return false;
  const isSnoozed = row.snoozedUntil !== null && new Date(row.snoozedUntil) > now;
  if (isSnoozed !== (snoozed === true)) return false;
  if (assignee !== undefined && !isAssignee(assignee.trim().toLowerCase(), row.assigneeId, userId)) return false;
  if (priority !== undefined && row.priority !== caseKey(priority)) return false;
  const keys = new Set(row.tags.map(caseKey));
  return tags === undefined || tags.every((tag) => keys.has(caseKey(tag)));
}

type Decided = {
  status?: readonly string[];
  assignee?: string;
  priority?: string;
  tags?: readonly string[];
  archived?: string;
  snoozed?: boolean;
};

function isAssignee(asked: string, assigneeId: string | null, userId: string): boolean {
  if (asked === 'none') return assigneeId === null;
  return assigneeId === (asked === 'me' ? userId : asked);
}

/** Names that differ in case alone are one. */
export function caseKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
