import { Type } from 'typebox';
import { contactSchema } from '../contacts/schema.ts';
import { ticketSchema } from '../tickets/schema.ts';

export const contactWithTicketsSchema = Type.Object({
  ...contactSchema.properties,
  tickets: Type.Array(ticketSchema, {
    description: 'The newest 100 in which they take part, archived ones too; all of them by `GET …/tickets?contact=`.',
  }),
});
