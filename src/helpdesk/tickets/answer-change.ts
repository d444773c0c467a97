import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../ground/database/db.ts';
import { ifMatchOf } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { changeTicket } from './change-ticket.ts';
import type { TicketChange } from './schema.ts';

/** Changes the ticket of a request, and answers with it. */
export function answerChange(
  db: Db,
  request: FastifyRequest & { params: { ticketId: TicketId } },
  reply: FastifyReply,
  change: TicketChange,
): Promise<void> {
  return answerInTx(db, request, reply, async (tx, actor) => {
    const target = { ticketId: request.params.ticketId, ifMatch: ifMatchOf(request) };
    const ticket = await changeTicket(tx, actor, target, change);
    return { status: 200, body: ticket, etag: ticket.version };
  });
}
