import { Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, uuid } from '../../ground/http/schema.ts';
import { ticketChangeSchema } from '../../helpdesk/tickets/schema.ts';
import { writtenListQuery } from '../lists/schema.ts';

/** How many tickets one change by query may have. */
export const matchingMax = 100_000;

/** The changes that a query may make are without these two, because they can be undone. */
const { subject, requester, ...queryChange } = ticketChangeSchema.properties;
const queryChangeSchema = Type.Object(queryChange);
export type QueryChange = Type.Static<typeof queryChangeSchema>;

const query = writtenListQuery('Filters as in the list of tickets. `me` is the caller.');
const exceptIds = Type.Optional(
  Type.Array(ids.ticket, { maxItems: 1_000, description: 'Tickets that match, and are left alone.' }),
);

export const bulkBody = Type.Object({
  ids: Type.Optional(Type.Array(ids.ticket, { minItems: 1, maxItems: 500, description: 'Instead of `query`.' })),
  query: Type.Optional(query),
  exceptIds,
  expectedCount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: matchingMax,
      description: 'Refuses the change if the query matches another number of tickets.',
    }),
  ),
  ...queryChange,
  subject,
  requester,
  savedReplyId: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Answer each ticket with this saved reply by mail, and run its actions.',
    }),
  ),
});
export type BulkBody = Type.Static<typeof bulkBody>;

const fault = Type.Object({
  key: Type.String(),
  params: Type.Object({}, { additionalProperties: true }),
  fallbackMessage: Type.String(),
});

export const bulkAnswer = Type.Object({
  results: Type.Array(
    Type.Object({
      id: ids.ticket,
      status: Type.Integer({ description: 'The status that the change of this ticket alone would return.' }),
      version: Type.Optional(Type.Integer({ description: "The ticket's version after the change." })),
      error: Type.Optional(fault),
    }),
  ),
});

export const previewBody = Type.Object({ query, exceptIds });
export const previewAnswer = Type.Object({ count: Type.Integer() });

export const bulkChangeParams = Type.Object({ workspaceId: ids.workspace, bulkChangeId: uuid });

const instant = (description: string) => Type.String({ format: 'date-time', description });

export const bulkChangeSchema = Type.Object({
  id: uuid,
  createdBy: ids.user,
  createdAt: timestamp,
  query,
  change: queryChangeSchema,
  state: oneOf(['running', 'done', 'stopped', 'undoing', 'undone']),
  total: Type.Integer({ description: 'How many tickets the query matched at the beginning.' }),
  changed: Type.Integer({ description: 'Tickets that have changed, and were not brought back.' }),
  unchanged: Type.Integer({ description: 'Tickets that were as wanted before.' }),
  refused: Type.Integer({ description: 'Tickets that could not be changed.' }),
  undone: Type.Integer({ description: 'Tickets that are as before the change.' }),
  kept: Type.Integer({
    description: 'Tickets that could not be brought back wholly: a person has changed them since.',
  }),
  undoneBy: nullable(ids.user),
  finishedAt: nullable(timestamp),
  undoneAt: nullable(timestamp),
  undoUntil: nullable(instant('Until when it can be undone; null while it runs.')),
});
export type BulkChange = Type.Static<typeof bulkChangeSchema>;

const ticketFault = Type.Object({
  ticketId: ids.ticket,
  ticketNumber: nullable(Type.Integer()),
  error: nullable(fault),
});
export type TicketFault = Type.Static<typeof ticketFault>;

export const bulkChangeWithRefusals = Type.Object({
  ...bulkChangeSchema.properties,
  refusals: Type.Array(ticketFault, {
    description: 'The first hundred tickets that were refused or kept. Without an error, a person has changed it.',
  }),
});
export type BulkChangeWithRefusals = Type.Static<typeof bulkChangeWithRefusals>;
