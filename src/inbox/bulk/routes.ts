import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { asAppError } from '../../ground/http/faults.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerBesideTx, answerInTx, isFirstTime } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { newId, type TicketId } from '../../ground/lib/ids.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import { changeTicket } from '../../helpdesk/tickets/change-ticket.ts';
import { answerAndChange, beginSecondsMax, checkBulk, forEachTicket, isFinished, versionOf } from './bulk.ts';
import { bulkChangeRoutes } from './change-routes.ts';
import { beginBulkChange } from './keep-bulk-change.ts';
import { countMatching } from './matching.ts';
import { type BulkBody, bulkAnswer, bulkBody, bulkChangeSchema, previewAnswer, previewBody } from './schema.ts';

/** Per process. Together their tickets use less than half of the connections, so other requests continue. */
const bulksAtOnceMax = 2;

export function bulkRoutes(server: Server, app: App): void {
  const { db, clock } = app;
  const inTurn = inTurns(bulksAtOnceMax);
  server.post(
    '/v1/workspaces/:workspaceId/tickets/bulk',
    {
      config: {
        can: 'ticket.write',
        errors: ['saved_reply.not_found', 'bulk_change.too_many', 'bulk_change.count_changed', 'bulk_change.busy'],
      },
      schema: {
        operationId: 'changeTickets',
        summary: 'Change many tickets at once',
        description:
          'With `ids`, each ticket changes completely or not at all: check each result. ' +
          'Tickets that had not begun within 20 seconds get 503: ask again for them. ' +
          'With `savedReplyId`, each ticket is answered by mail: send an `Idempotency-Key`. ' +
          'With `query`, all tickets that match now change in the background: read the bulk change for its progress.',
        tags: ['tickets'],
        params: workspaceParams,
        body: bulkBody,
        response: { 200: bulkAnswer, 202: bulkChangeSchema },
      },
    },
    (request, reply) => {
      const begunBy = performance.now() + beginSecondsMax * 1_000;
      const answer = async () => {
        const { query, ids, ...rest } = request.body;
        if (query !== undefined) return beginByQuery(app, request, reply, { ...request.body, query });
        if (ids === undefined) throw invalidRequest({ path: 'body.ids', key: 'no_ids' });
        return changeByIds(app, request, reply, { ...rest, ids, begunBy });
      };
      // Takes turns by workspace, so that a change of thousands of tickets does not block another workspace.
      return inTurn(answer, request.params.workspaceId);
    },
  );

  server.post(
    '/v1/workspaces/:workspaceId/tickets/bulk/preview',
    {
      config: { can: 'ticket.write', errors: ['bulk_change.too_many'] },
      schema: {
        operationId: 'countMatchingTickets',
        summary: 'Count exactly the tickets that a bulk change by query would change',
        tags: ['tickets'],
        params: workspaceParams,
        body: previewBody,
        response: { 200: previewAnswer },
      },
    },
    (request) => {
      const count = async () => ({ count: await countMatching(db, actorOf(request), request.body, clock.now()) });
      return inTurn(count, request.params.workspaceId);
    },
  );

  bulkChangeRoutes(server, app);
}

type Body<Wanted extends keyof BulkBody> = Omit<BulkBody, Wanted> & Required<Pick<BulkBody, Wanted>>;

async function beginByQuery(
  { db }: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, exceptIds, expectedCount, ids, savedReplyId, subject, requester, ...change }: Body<'query'>,
): Promise<void> {
  // Mails cannot be undone, and no two tickets should have the same subject or requester.
  for (const [name, value] of Object.entries({ ids, savedReplyId, subject, requester }))
    if (value !== undefined) throw invalidRequest({ path: `body.${name}`, key: 'not_with_query' });
  await answerInTx(db, request, reply, async (tx, actor) => ({
    status: 202,
    body: await beginBulkChange(tx, actor, {
      query,
      ...(exceptIds !== undefined && { exceptIds }),
      ...(expectedCount !== undefined && { expectedCount }),
      change,
    }),
  }));
}

function changeByIds(
  { db, clock }: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { ids, begunBy, exceptIds, expectedCount, ...wanted }: Body<'ids'> & { begunBy: number },
): Promise<void> {
  for (const [name, value] of Object.entries({ exceptIds, expectedCount }))
    if (value !== undefined) throw invalidRequest({ path: `body.${name}`, key: 'only_with_query' });
  const { savedReplyId, ...change } = wanted;
  return answerBesideTx(db, request, reply, async (actor) => {
    await checkBulk(db, actor, wanted, clock.now());
    const bulkId = newId();
    const changeIt = (ticketId: TicketId) =>
      db.tx(async (tx) => {
        const target = { ticketId, bulkId, ifMatch: undefined };
        if (savedReplyId === undefined) return (await changeTicket(tx, actor, target, change)).version;
        // A change of fields may be repeated, an answer may not.
        if (await isFirstTime(tx, actor, request, ticketId))
          await answerAndChange(tx, actor, { ...target, savedReplyId }, change);
        return versionOf(tx, actor, ticketId);
      });
    // The driver only throws Errors. The framework's fields are checked before use.
    const faultOf = (thrown: unknown) => asAppError(thrown as FastifyError, request);
    const results = await forEachTicket({ ticketIds: [...new Set(ids)], begunBy }, changeIt, faultOf);
    return { status: 200, body: { results }, ...(!isFinished(results) && { isUnfinished: true }) };
  });
}
