import { Type } from 'typebox';
import { ids, optionalText } from '../../ground/http/schema.ts';
import { ticketSchema } from '../tickets/schema.ts';

export const sourceParams = Type.Object({ workspaceId: ids.workspace, sourceTicketId: ids.ticket });

export const mergeBody = Type.Object({ targetTicketId: ids.ticket });

export const mergeAnswer = Type.Object(
  { ticket: ticketSchema, movedMessages: Type.Integer() },
  { description: 'The ticket that received the messages, and their number.' },
);

export const unmergeAnswer = Type.Object(
  { ticket: ticketSchema, target: ticketSchema },
  { description: 'The restored ticket, and the ticket that gave its messages back.' },
);

export const splitBody = Type.Object({
  messageIds: Type.Array(ids.message, { minItems: 1, maxItems: 10_000 }),
  newSubject: optionalText(500),
});

export const splitAnswer = Type.Object(
  { ticket: ticketSchema, movedMessages: Type.Integer() },
  { description: 'The new ticket, and the number of messages that moved to it.' },
);
