import { Type } from 'typebox';
import { uuid } from '../http/schema.ts';

export const sampleTicketsSchema = Type.Object({
  tickets: Type.Array(Type.Object({ id: uuid, ticketNumber: Type.Integer(), subject: Type.String() }), {
    description: 'Newest activity first, as the list shows them.',
  }),
});
export type SampleTicket = { id: string; ticketNumber: number; subject: string };
