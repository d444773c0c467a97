import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { ifMatchOf } from '../../ground/http/http.ts';
import { type Answered, answer } from '../../ground/http/operation.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { changeTicket } from './change-ticket.ts';
import type { Ticket, TicketChange } from './schema.ts';

/** Changes the ticket of a request, and answers with it. */
export async function answerChange(
  tx: Tx,
  request: FastifyRequest & { actor: Actor; params: { ticketId: TicketId } },
  change: TicketChange,
): Promise<Answered<Ticket>> {
  const target = { ticketId: request.params.ticketId, ifMatch: ifMatchOf(request) };
  const ticket = await changeTicket(tx, request.actor, target, change);
  return answer(ticket, { etag: ticket.version });
}
