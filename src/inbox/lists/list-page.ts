import { type Sql, sql } from '../../ground/database/sql.ts';
import { badCursor, decodeCursor, encodeCursor, isCursorTime } from '../../ground/lib/cursor.ts';
import { isUuid } from '../../ground/lib/ids.ts';
import { rankOfPriority } from '../../helpdesk/tickets/priority.ts';
import type { ListedTicket, sortKeys, Ticket } from '../../helpdesk/tickets/schema.ts';

export type Sort = (typeof sortKeys)[number];
export type Order = 'asc' | 'desc';

/** The total is exact up to this number. Beyond it the response only says "at least". */
export const countMax = 1_000;

export type TicketPage = {
  tickets: ListedTicket[];
  /** Undefined on pages after a cursor, or if not requested; at most `countMax`. */
  total: { count: number; isExact: boolean } | undefined;
  nextCursor: string | undefined;
};

/** A page begins after the ticket with these sort values. */
type ListPosition = { sort: Sort; order: Order; values: (string | number)[]; id: string };

type SortKey = {
  columns: Sql;
  placeholders: (values: readonly unknown[]) => Sql;
  valuesOf: (ticket: Ticket) => (string | number)[];
  accepts: (values: unknown[]) => boolean;
};

const timeKey = (columns: Sql, field: 'lastMessageAt' | 'createdAt' | 'updatedAt' | 'waitingSince'): SortKey => ({
  columns,
  placeholders: ([time]) => sql`${time}::timestamptz`,
  // A list sorted by this field leaves out tickets where it is null.
  valuesOf: (ticket) => [ticket[field] ?? ''],
  accepts: (values) => values.length === 1 && isCursorTime(values[0]),
});

/** The columns of each sort. The id makes every order total. */
const keys: Record<Sort, SortKey> = {
  lastMessageAt: timeKey(sql`t.last_message_at`, 'lastMessageAt'),
  createdAt: timeKey(sql`t.created_at`, 'createdAt'),
  updatedAt: timeKey(sql`t.updated_at`, 'updatedAt'),
  waitingSince: timeKey(sql`t.waiting_since`, 'waitingSince'),
  priority: {
    columns: sql`t.priority_rank, t.last_message_at`,
    placeholders: ([rank, time]) => sql`${rank}::smallint, ${time}::timestamptz`,
    valuesOf: (ticket) => [rankOfPriority(ticket.priority), ticket.lastMessageAt],
    accepts: (values) => values.length === 2 && [1, 2, 3, 4].includes(values[0] as number) && isCursorTime(values[1]),
  },
};

/** Sorts all columns in the same direction, so that a row comparison can page. */
export function orderBy(sort: Sort, order: Order): Sql {
  const direction = order === 'asc' ? sql` asc` : sql` desc`;
  return sort === 'priority'
    ? sql`t.priority_rank${direction}, t.last_message_at${direction}, t.id${direction}`
    : sql`${keys[sort].columns}${direction}, t.id${direction}`;
}

/** The condition for the page after the cursor. Throws 400 for an invalid cursor, or one of another sort. */
export function behind(cursor: string, sort: Sort, order: Order): Sql {
  const position = decodeCursor(cursor) as Partial<ListPosition> | null | undefined;
  const key = keys[sort];
  if (
    typeof position !== 'object' ||
    position?.sort !== sort ||
    position.order !== order ||
    !Array.isArray(position.values) ||
    !key.accepts(position.values) ||
    typeof position.id !== 'string' ||
    !isUuid(position.id)
  ) {
    throw badCursor();
  }
  const values = sql`(${key.placeholders(position.values)}, ${position.id}::uuid)`;
  return order === 'asc' ? sql`(${key.columns}, t.id) > ${values}` : sql`(${key.columns}, t.id) < ${values}`;
}

export function cursorAfter(ticket: Ticket, sort: Sort, order: Order): string {
  return encodeCursor({ sort, order, values: keys[sort].valuesOf(ticket), id: ticket.id } satisfies ListPosition);
}
