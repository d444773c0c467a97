import type { Operation } from './operation.ts';
import { createTicket } from './operations/create-ticket.ts';
import { listTickets } from './operations/list-tickets.ts';
import { readTicket } from './operations/read-ticket.ts';

/** What `npm run bench` measures, in the order of the table. */
export const operations: readonly Operation[] = [readTicket, listTickets, createTicket];
