import { Type } from 'typebox';
import { contactSchema } from '../contacts/schema.ts';
import { ticketSchema } from '../tickets/schema.ts';

export const contactWithTicketsSchema = Type.Object({
  ...contactSchema.properties,
  tickets: Type.Array(ticketSchema, {
    description: 'The newest 100 tickets, archived ones too. `GET …/tickets?contact=` lists all of them.',
  }),
});
