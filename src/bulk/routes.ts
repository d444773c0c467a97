import type { FastifyError } from 'fastify';
import type { App } from '../app.ts';
import { asAppError } from '../http/faults.ts';
import type { Server } from '../http/http.ts';
import { answerBesideTx, isFirstTime } from '../http/idempotency.ts';
import { workspaceParams } from '../http/schema.ts';
import { newId } from '../lib/ids.ts';
import { inTurns } from '../lib/in-turns.ts';
import { beginSecondsMax, changeOne, checkBulk, forEachTicket, isFinished } from './bulk.ts';
import { bulkAnswer, bulkBody } from './schema.ts';

/** Per process. Together their tickets use less than half of the connections, so other requests continue. */
const bulksAtOnceMax = 2;

export function bulkRoutes(server: Server, { db, clock, config }: App): void {
  const inTurn = inTurns(bulksAtOnceMax);
  server.post(
    '/v1/workspaces/:workspaceId/tickets/bulk',
    {
      config: { can: 'ticket.write', errors: ['saved_reply.not_found'] },
      schema: {
        operationId: 'changeTickets',
        summary: 'Change many tickets at once',
        description:
          'Each ticket changes completely or not at all: check each result. ' +
          'Tickets that had not begun within 20 seconds get 503: ask again for them. ' +
          'With `savedReplyId`, each ticket is answered by mail: send an `Idempotency-Key`.',
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
          const { mailFrom, newRecipientsPerDay, storageBytesMax } = config;
          const mail = { mailFrom: mailFrom.email, newRecipientsPerDay, storageBytesMax, site: config };
          const results = await forEachTicket(
            { ticketIds: [...new Set(ids)], begunBy },
            (ticketId) =>
              db.tx(async (tx) => {
                // A change of fields may be repeated, an answer may not.
                const isNew = change.savedReplyId === undefined || (await isFirstTime(tx, actor, request, ticketId));
                if (isNew) await changeOne(tx, actor, { ...change, ticketId, bulkId, mail });
              }),
            // The driver only throws Errors. The framework's fields are checked before use.
            (thrown) => asAppError(thrown as FastifyError, request),
          );
          return { status: 200, body: { results }, ...(!isFinished(results) && { isUnfinished: true }) };
        });
      // Takes turns by workspace, so that a change of thousands of tickets does not block another workspace.
      return inTurn(answer, request.params.workspaceId);
    },
  );
}
