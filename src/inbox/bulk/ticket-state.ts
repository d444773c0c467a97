import type { Scope } from '../../ground/catalog/scope.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { Ticket } from '../../helpdesk/tickets/schema.ts';
import { type UnreadMark, unreadMarks } from '../../helpdesk/tickets/unread.ts';

/** What a bulk change may change, with all that follows from it. */
const restored = [
  'status',
  'assigneeId',
  'mailboxId',
  'teamId',
  'priority',
  'tags',
  'snoozedUntil',
  'archivedAt',
  'trashedAt',
  'spamAt',
  'spamReason',
  'waitingSince',
] as const satisfies (keyof Ticket)[];

export type TicketState = Pick<Ticket, (typeof restored)[number]> & { closedAt: string | null };

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

/** The states of locked tickets, with what their rows alone show. */
export async function readStates(tx: Tx, scope: Scope, tickets: readonly Ticket[]): Promise<Map<TicketId, ReadState>> {
  const { workspaceId } = scope;
  const rows = await tx.rows<{ id: TicketId; closedAt: string | null; unread: UnreadMark[] }>(sql`
    select t.id, t.closed_at as "closedAt", ${unreadMarks(workspaceId)} as unread
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id = any(${tickets.map(({ id }) => id)}::uuid[])
      and ${visible(scope, 't')}`);
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  return new Map(
    rows.flatMap(({ id, ...row }) => {
      const ticket = byId.get(id);
      return ticket === undefined ? [] : [[id, stateOf(ticket, row)]];
    }),
  );
}

export function stateOf(
  ticket: Ticket,
  { closedAt, unread }: { closedAt: string | null; unread: UnreadMark[] },
): ReadState {
  const fields = Object.fromEntries(restored.map((name) => [name, ticket[name]])) as Pick<
    Ticket,
    (typeof restored)[number]
  >;
  return { fields: { ...fields, closedAt }, lastMessageId: ticket.lastMessage?.id ?? null, unread };
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
