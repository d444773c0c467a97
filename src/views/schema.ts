import { Type } from 'typebox';
import { ids, optionalText, timestamp, trimmedText, uuid } from '../http/schema.ts';
import { listTicketsQuery } from '../tickets/schema.ts';

export const viewParams = Type.Object({ workspaceId: ids.workspace, viewId: uuid });

const { cursor: _cursor, offset: _offset, limit: _limit, count: _count, ...filters } = listTicketsQuery.properties;

const assignee = Type.String({
  pattern: '^(?:[mM][eE]|[nN][oO][nN][eE]|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
  'x-trim': 'stored',
});

/** A list query without paging. HTTP limits the length of a list's address, so a stored query needs its own limits. */
const viewQuery = Type.Object(
  {
    ...filters,
    assignee: Type.Optional(
      Type.Union([assignee, Type.Array(assignee, { maxItems: 100 })], {
        description: 'A user id, `me` or `none`, or any of several.',
      }),
    ),
    priority: optionalText(32),
    search: optionalText(1_000),
  },
  { description: 'Filters and order as in the list of tickets. `me` is the member who reads the view.' },
);

export const viewSchema = Type.Object({
  id: uuid,
  name: Type.String(),
  query: viewQuery,
  isShared: Type.Boolean(),
  createdBy: ids.user,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type View = Type.Static<typeof viewSchema>;

const count = {
  count: Type.Integer({ description: 'At most 1,000.' }),
  isAtLeast: Type.Boolean({ description: 'Whether there are more.' }),
};
const counts = Type.Object(count);

export const countsSchema = Type.Object({
  lists: Type.Object({
    mine: counts,
    unassigned: counts,
    open: counts,
    pending: counts,
    snoozed: counts,
    closed: counts,
    undelivered: counts,
    drafts: counts,
    unread: counts,
  }),
  views: Type.Array(Type.Object({ viewId: uuid, ...count }), {
    description: 'The first hundred of your own and the shared views, without views that search.',
  }),
});
export type Counts = Type.Static<typeof countsSchema>;

const viewName = trimmedText(1, 100);

export const createViewBody = Type.Object({
  name: viewName,
  query: viewQuery,
  isShared: Type.Optional(Type.Boolean({ default: false })),
});

export const updateViewBody = Type.Object({
  name: Type.Optional(viewName),
  query: Type.Optional(viewQuery),
  isShared: Type.Optional(Type.Boolean()),
});
