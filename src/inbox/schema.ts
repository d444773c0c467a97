import { Type } from 'typebox';
import { optionalText } from '../http/schema.ts';
import { type ListTicketsQuery, listTicketsQuery } from '../tickets/schema.ts';

const { cursor: _cursor, offset: _offset, limit: _limit, count: _count, ...filters } = listTicketsQuery.properties;

const assignee = Type.String({
  pattern: '^(?:[mM][eE]|[nN][oO][nN][eE]|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
  'x-trim': 'stored',
});

const properties = {
  ...filters,
  assignee: Type.Optional(
    Type.Union([assignee, Type.Array(assignee, { maxItems: 100 })], {
      description: 'A user id, `me` or `none`, or any of several.',
    }),
  ),
  priority: optionalText(32),
  search: optionalText(1_000),
};

/**
 * A list query without paging. HTTP limits the length of a list's address, so a query in a body needs its own limits.
 */
export const writtenListQuery = (description: string) => Type.Object(properties, { description });
export type WrittenListQuery = Type.Static<ReturnType<typeof writtenListQuery>>;

/** Converts a query in a body to that of a list: a body may have a single assignee outside an array. */
export function listQueryOf({ assignee, ...query }: WrittenListQuery): ListTicketsQuery {
  return assignee === undefined ? query : { ...query, assignee: [assignee].flat() };
}
