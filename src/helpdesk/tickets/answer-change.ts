import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { ifMatchOf } from '../../ground/http/http.ts';
import { type Answered, answer } from '../../ground/http/operation.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { changeTicket } from './change-ticket.ts';
import { visibleAmong } from './queries.ts';
import type { ChangedTicket, Ticket, TicketChange } from './schema.ts';

/** Changes the ticket of a request, and answers with it. */
export async function answerChange(
  tx: Tx,
  request: FastifyRequest & { actor: Actor; params: { ticketId: TicketId } },
  change: TicketChange,
): Promise<Answered<ChangedTicket>> {
  const target = { ticketId: request.params.ticketId, ifMatch: ifMatchOf(request) };
  return answerWith(tx, request.actor, await changeTicket(tx, request.actor, target, change));
}

/** Tells those who have moved a ticket out of their own sight. */
export async function answerWith(tx: Tx, actor: Actor, ticket: Ticket): Promise<Answered<ChangedTicket>> {
  const shown = await visibleAmong(tx, actor, [ticket.id]);
  return answer({ ...ticket, ...(!shown.has(ticket.id) && { isHidden: true }) }, { etag: ticket.version });
}
