import { Type } from 'typebox';
import { ids } from '../../ground/http/schema.ts';
import type { TicketId } from '../../ground/lib/ids.ts';

export const sampleTicketsSchema = Type.Object({
  tickets: Type.Array(Type.Object({ id: ids.ticket, ticketNumber: Type.Integer(), subject: Type.String() }), {
    description: 'Newest activity first, as the list shows them.',
  }),
});
export type SampleTicket = { id: TicketId; ticketNumber: number; subject: string };
