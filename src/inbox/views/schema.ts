import { Type } from 'typebox';
import { ids, timestamp, trimmedText, uuid } from '../../ground/http/schema.ts';
import { writtenListQuery } from '../lists/schema.ts';

export const viewParams = Type.Object({ workspaceId: ids.workspace, viewId: uuid });

export const viewQuery = writtenListQuery(
  'Filters and order as in the list of tickets. `me` is the member who reads the view.',
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
  position: Type.String({
    description:
      'A stream position: all earlier events are counted. Send it as `lastEventId` to miss none of the others.',
  }),
  lists: Type.Object({
    mine: counts,
    unassigned: counts,
    open: counts,
    pending: counts,
    snoozed: counts,
    closed: counts,
    mentions: counts,
    undelivered: counts,
    scheduled: counts,
    drafts: counts,
    unread: counts,
  }),
  views: Type.Array(Type.Object({ viewId: uuid, ...count }), {
    description: 'The first hundred of your own and the shared views, without views that search.',
  }),
  mailboxes: Type.Array(Type.Object({ mailboxId: uuid, ...count }), {
    description: 'The open tickets of each connected mailbox. Empty where there is only one mailbox.',
  }),
  teams: Type.Array(Type.Object({ teamId: ids.team, open: counts, unassigned: counts }), {
    description:
      'The open tickets of the first hundred teams that take tickets, and those that are assigned to nobody.',
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
