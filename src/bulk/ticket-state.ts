import type { Queryable, Tx } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import type { Ticket } from '../tickets/schema.ts';
import type { UnreadMark } from '../tickets/unread.ts';

type Kept =
  | 'status'
  | 'assigneeId'
  | 'priority'
  | 'tags'
  | 'snoozedUntil'
  | 'archivedAt'
  | 'trashedAt'
  | 'spamAt'
  | 'spamReason'
  | 'waitingSince';

/** The fields of a ticket that a bulk change may change, with all fields that follow from them. */
export type TicketState = Pick<Ticket, Kept> & { closedAt: string | null };

export type ReadState = {
  fields: TicketState;
  lastMessageId: MessageId | null;
  /** For whom the ticket is unread. A ticket that is closed or archived is unread for nobody. */
  unread: UnreadMark[];
};

/** The effect of a change on a ticket: its fields before and after, so that the change can be undone. */
export type Made = {
  fields: Partial<{ [Name in keyof TicketState]: { from: TicketState[Name]; to: TicketState[Name] } }>;
  lastMessageId: MessageId | null;
  /** For whom the ticket was unread, if it is for nobody any more. */
  unread: UnreadMark[];
};

/** Reads the states of tickets, even in the trash. */
export function readStates(
  db: Queryable,
  workspaceId: WorkspaceId,
  ids: readonly TicketId[],
): Promise<Map<TicketId, ReadState>> {
  return statesOf(db, workspaceId, ids, sql``);
}

/** Reads them, and locks the tickets until the commit, in the order of their ids. */
export function lockStates(
  tx: Tx,
  workspaceId: WorkspaceId,
  ids: readonly TicketId[],
): Promise<Map<TicketId, ReadState>> {
  return statesOf(tx, workspaceId, ids, sql`order by t.id for no key update of t`);
}

async function statesOf(
  db: Queryable,
  workspaceId: WorkspaceId,
  ids: readonly TicketId[],
  locks: Sql,
): Promise<Map<TicketId, ReadState>> {
  const rows = await db.rows<TicketState & Omit<ReadState, 'fields'> & { id: TicketId }>(sql`
    select t.id, t.status, t.assignee_id as "assigneeId", t.priority, t.tags, t.snoozed_until as "snoozedUntil",
      t.archived_at as "archivedAt", t.trashed_at as "trashedAt", t.spam_at as "spamAt",
      t.spam_reason as "spamReason", t.waiting_since as "waitingSince", t.closed_at as "closedAt",
      t.last_message_id as "lastMessageId",
      (
        select coalesce(json_agg(json_build_object('userId', u.user_id, 'messageId', u.message_id)), '[]')
        from unread_tickets u
        where u.workspace_id = ${workspaceId} and u.ticket_id = t.id
      ) as unread
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id = any(${ids}::uuid[])
    ${locks}`);
  return new Map(rows.map(({ id, lastMessageId, unread, ...fields }) => [id, { fields, lastMessageId, unread }]));
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The difference between two states; undefined for equal fields. */
export function madeBetween(before: ReadState, after: ReadState): Made | undefined {
  const names = Object.keys(before.fields) as (keyof TicketState)[];
  const changed = names.filter((name) => !same(before.fields[name], after.fields[name]));
  if (changed.length === 0) return undefined;
  const fields = changed.map((name) => [name, { from: before.fields[name], to: after.fields[name] }]);
  return {
    fields: Object.fromEntries(fields),
    lastMessageId: before.lastMessageId,
    unread: after.unread.length === 0 ? before.unread : [],
  };
}

/**
 * Gives back each field that still has the value that the change gave it. Also gives back the tags that the change
 * added or removed, even if other tags have changed since.
 * @returns also whether a person has changed any of this meanwhile
 */
export function givenBack(made: Made, now: ReadState): { fields: Partial<TicketState>; isWhole: boolean } {
  const names = Object.keys(made.fields) as (keyof TicketState)[];
  const untouched = names.filter((name) => same(made.fields[name]?.to, now.fields[name]));
  const fields = Object.fromEntries(untouched.map((name) => [name, made.fields[name]?.from])) as Partial<TicketState>;
  const tags = made.fields.tags === undefined ? undefined : tagsBack(made.fields.tags, now.fields.tags);
  if (tags !== undefined && !('tags' in fields)) fields.tags = tags.given;
  // Both follow from the status and the messages.
  if (!('status' in fields) || now.lastMessageId !== made.lastMessageId) {
    delete fields.waitingSince;
    delete fields.closedAt;
  }
  if (!('spamAt' in fields)) delete fields.spamReason;
  const following: readonly string[] = ['waitingSince', 'closedAt', 'spamReason'];
  const isWhole = names.every((name) => following.includes(name) || name in fields) && tags?.isWhole !== false;
  return { fields, isWhole };
}

/** Tags with the same key are one tag. A tag that a person has removed, or added, since then stays so. */
function tagsBack(
  { from, to }: { from: string[]; to: string[] },
  now: string[],
): { given: string[]; isWhole: boolean } {
  const has = (tags: readonly string[], tag: string) => tags.some((each) => caseKey(each) === caseKey(tag));
  const added = to.filter((tag) => !has(from, tag));
  const removed = from.filter((tag) => !has(to, tag));
  const kept = now.filter((tag) => !has(added, tag));
  const given = [...kept, ...removed.filter((tag) => !has(kept, tag))];
  return { given, isWhole: added.every((tag) => has(now, tag)) && !removed.some((tag) => has(now, tag)) };
}
