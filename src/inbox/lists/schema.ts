import { Type } from 'typebox';
import { oneOf, optionalText } from '../../ground/http/schema.ts';
import { sortKeys } from '../../helpdesk/tickets/schema.ts';
import { filters, stateFilters } from './filters.ts';

type Schemas = { [Name in keyof typeof filters]: (typeof filters)[Name]['schema'] };
const order = { sort: Type.Optional(oneOf(sortKeys)), order: Type.Optional(oneOf(['asc', 'desc'])) };
/** What each filter accepts. */
export const filterSchemas = Object.fromEntries(
  Object.entries(filters).map(([name, { schema }]) => [name, schema]),
  // `fromEntries` does not follow names.
) as Schemas;
const ofList = {
  ...filterSchemas,
  search: Type.Optional(Type.String({ description: 'Words, "a phrase", -without, or; #123 or 123; a Message-ID.' })),
  ...stateFilters,
  ...order,
};

export const listTicketsQuery = Type.Object({
  ...ofList,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  cursor: Type.Optional(Type.String({ maxLength: 1_000, description: 'From the `Link` header of the page before.' })),
  count: Type.Optional(Type.Boolean({ default: true, description: 'Whether to send `x-total-count`.' })),
});
export type ListTicketsQuery = Type.Static<typeof listTicketsQuery>;

const assignee = Type.String({
  pattern: '^(?:[mM][eE]|[nN][oO][nN][eE]|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
  'x-trim': 'stored',
});

const properties = {
  ...ofList,
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
 * It refuses unknown fields, because a filter that is ignored would let a change meet every ticket.
 */
export const writtenListQuery = (description: string) =>
  Type.Object(properties, { description, additionalProperties: false });
export type WrittenListQuery = Type.Static<ReturnType<typeof writtenListQuery>>;

/**
 * Converts a query in a body to that of a list: a body may have a single assignee outside an array. An empty list
 * filters nothing, as an empty parameter of an address.
 */
export function listQueryOf({ assignee, ...query }: WrittenListQuery): ListTicketsQuery {
  const list: ListTicketsQuery = assignee === undefined ? query : { ...query, assignee: [assignee].flat() };
  return Object.fromEntries(Object.entries(list).filter(([, value]) => !isEmptyList(value)));
}

export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
