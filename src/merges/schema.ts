import { Type } from 'typebox';
import { optionalText, uuid } from '../http/schema.ts';
import { ticketSchema } from '../tickets/schema.ts';

export const sourceParams = Type.Object({ workspaceId: uuid, sourceTicketId: uuid });

export const mergeBody = Type.Object({ targetTicketId: uuid });

export const mergeAnswer = Type.Object(
  { ticket: ticketSchema, movedMessages: Type.Integer() },
  { description: 'The ticket into which the messages went, and how many they were.' },
);

export const unmergeAnswer = Type.Object(
  { ticket: ticketSchema, target: ticketSchema },
  { description: 'The ticket as it is again, and the one that gave its messages back.' },
);

export const splitBody = Type.Object({
  messageIds: Type.Array(uuid, { minItems: 1, maxItems: 10_000 }),
  newSubject: optionalText(500),
});

export const splitAnswer = Type.Object(
  { ticket: ticketSchema, movedMessages: Type.Integer() },
  { description: 'The new ticket, and how many messages went to it.' },
);
