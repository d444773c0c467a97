import type { FastifyError } from 'fastify';
import type { App } from '../app.ts';
import { asAppError } from '../http/faults.ts';
import type { Server } from '../http/http.ts';
import { answerBesideTx } from '../http/idempotency.ts';
import { workspaceParams } from '../http/schema.ts';
import { newId } from '../lib/ids.ts';
import { inTurns } from '../lib/in-turns.ts';
import { beginSecondsMax, changeOne, checkBulk, forEachTicket, isFinished } from './bulk.ts';
import { bulkAnswer, bulkBody } from './schema.ts';

/** Of one process. With what each does at once they hold less than half of its connections, so the rest goes on. */
const bulksAtOnceMax = 2;

export function bulkRoutes(server: Server, { db, clock }: App): void {
  const inTurn = inTurns(bulksAtOnceMax);
  server.post(
    '/v1/workspaces/:workspaceId/tickets/bulk',
    {
      config: { can: 'ticket.write' },
      schema: {
        operationId: 'changeTickets',
        summary: 'Change many tickets at once',
        description:
          'Each ticket is changed by itself, wholly or not at all: look at each result. What was not begun within 20 seconds is 503, to be asked for again.',
        tags: ['tickets'],
        params: workspaceParams,
        body: bulkBody,
        response: { 200: bulkAnswer },
      },
    },
    (request, reply) => {
      const begunBy = performance.now() + beginSecondsMax * 1_000;
      const answer = () =>
        answerBesideTx(db, request, reply, async (actor) => {
          const { ids, ...change } = request.body;
          await checkBulk(db, actor, change, clock.now());
          const bulkId = newId();
          const results = await forEachTicket(
            { ticketIds: [...new Set(ids)], begunBy },
            (ticketId) => db.tx((tx) => changeOne(tx, actor, { ...change, ticketId, bulkId })),
            // Whatever the driver throws is an Error; the framework's fields are looked for, not relied on.
            (thrown) => asAppError(thrown as FastifyError, request),
          );
          return { status: 200, body: { results }, ...(!isFinished(results) && { isUnfinished: true }) };
        });
      // By workspace: one that changes thousands of tickets keeps no other one waiting for all of them.
      return inTurn(answer, request.params.workspaceId);
    },
  );
}
