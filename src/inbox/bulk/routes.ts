import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { because } from '../../ground/catalog/doer.ts';
import { asAppError } from '../../ground/http/faults.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerBesideTx, answerInTx, isFirstTime } from '../../ground/http/idempotency.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { newId, type TicketId } from '../../ground/lib/ids.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import { changeTicket } from '../../helpdesk/tickets/change-ticket.ts';
import { answerAndChange, beginSecondsMax, checkBulk, forEachTicket, isFinished, versionOf } from './bulk.ts';
import { bulkChangeRoutes } from './change-routes.ts';
import { beginBulkChange } from './keep-bulk-change.ts';
import { countMatching } from './matching.ts';
import { type BulkBody, bulkAnswer, bulkBody, bulkChangeSchema, previewAnswer, previewBody } from './schema.ts';

const workspace = inWorkspace('tickets');

/** Per process. Together their tickets use less than half of the connections, so other requests continue. */
const bulksAtOnceMax = 2;

export function bulkRoutes(server: Server, app: App): void {
  const { db, clock } = app;
  const inTurn = inTurns(bulksAtOnceMax);
  workspace.post(server, '/tickets/bulk', {
    id: 'changeTickets',
    summary: 'Change many tickets at once',
    description:
      'With `ids`, each ticket changes completely or not at all: check each result. ' +
      'Tickets that had not begun within 20 seconds get 503: ask again for them. ' +
      'With `savedReplyId`, each ticket is answered by mail: send an `Idempotency-Key`. ' +
      'With `query`, all tickets that match now change in the background: read the bulk change for its progress.',
    can: 'ticket.write',
    errors: ['saved_reply.not_found', 'bulk_change.too_many', 'bulk_change.count_changed', 'bulk_change.busy'],
    body: bulkBody,
    answers: { 200: bulkAnswer, 202: bulkChangeSchema },
    handler: (request, reply) => {
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
  });

  workspace.post(server, '/tickets/bulk/preview', {
    id: 'countMatchingTickets',
    summary: 'Count exactly the tickets that a bulk change by query would change',
    can: 'ticket.write',
    errors: ['bulk_change.too_many'],
    body: previewBody,
    answers: { 200: previewAnswer },
    handler: ({ actor, params, body }) => {
      const count = async () => ({ count: await countMatching(db, actor, body, clock.now()) });
      return inTurn(count, params.workspaceId);
    },
  });

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
  const ticketIds = [...new Set(ids)];
  return answerBesideTx(db, request, reply, async (caller) => {
    // Each person is notified once of all these changes, by the id of their cause. One ticket is changed by hand.
    const actor = ticketIds.length === 1 ? caller : because(caller, { kind: 'bulk_change', id: newId() });
    await checkBulk(db, actor, wanted, clock.now());
    const changeIt = (ticketId: TicketId) =>
      db.tx(async (tx) => {
        const target = { ticketId, ifMatch: undefined };
        if (savedReplyId === undefined) return (await changeTicket(tx, actor, target, change)).version;
        // A change of fields may be repeated, an answer may not.
        if (await isFirstTime(tx, actor, request, { part: ticketId }))
          await answerAndChange(tx, actor, { ...target, savedReplyId }, change);
        return versionOf(tx, actor, ticketId);
      });
    // The driver only throws Errors. The framework's fields are checked before use.
    const faultOf = (thrown: unknown) => asAppError(thrown as FastifyError, request);
    const results = await forEachTicket({ ticketIds, begunBy }, changeIt, faultOf);
    return { status: 200, body: { results }, ...(!isFinished(results) && { isUnfinished: true }) };
  });
}
