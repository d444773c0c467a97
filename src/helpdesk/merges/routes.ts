import type { App } from '../../app.ts';
import { ifMatchOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { ticketParams } from '../tickets/schema.ts';
import { mergeTickets } from './merge.ts';
import { mergeAnswer, mergeBody, sourceParams, splitAnswer, splitBody, unmergeAnswer } from './schema.ts';
import { splitTicket } from './split.ts';
import { unmergeTicket } from './unmerge.ts';

const tickets = '/v1/workspaces/:workspaceId/tickets';
const tags = ['tickets'];
const can = 'ticket.write';

/** `ETag` and `If-Match` always refer to the ticket in the path. */
export function mergeRoutes(server: Server, app: App): void {
  mergeRoute(server, app);
  unmergeRoute(server, app);
  splitRoute(server, app);
}

function mergeRoute(server: Server, { db }: App): void {
  server.post(
    `${tickets}/:sourceTicketId/merge`,
    {
      config: {
        can,
        errors: [
          'ticket.not_found',
          'ticket.version_mismatch',
          'ticket.merged',
          'ticket.spam',
          'ticket.sample',
          'ticket.merge_into_itself',
        ],
      },
      schema: {
        operationId: 'mergeTickets',
        summary: 'Merge a ticket into another one',
        tags,
        params: sourceParams,
        body: mergeBody,
        response: { 200: mergeAnswer },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const { source, target, movedMessages } = await mergeTickets(tx, actor, {
          ticketId: request.params.sourceTicketId,
          targetTicketId: request.body.targetTicketId,
          ifMatch: ifMatchOf(request),
        });
        return { status: 200, body: { ticket: target, movedMessages }, etag: source.version };
      }),
  );
}

function unmergeRoute(server: Server, { db }: App): void {
  server.post(
    `${tickets}/:sourceTicketId/unmerge`,
    {
      config: { can, errors: ['ticket.not_found', 'ticket.version_mismatch', 'ticket.not_merged', 'ticket.spam'] },
      schema: {
        operationId: 'unmergeTicket',
        summary: 'Undo the merge of a ticket into another one',
        tags,
        params: sourceParams,
        response: { 200: unmergeAnswer },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const { source, survivor } = await unmergeTicket(tx, actor, {
          ticketId: request.params.sourceTicketId,
          ifMatch: ifMatchOf(request),
        });
        return { status: 200, body: { ticket: source, target: survivor }, etag: source.version };
      }),
  );
}

function splitRoute(server: Server, { db }: App): void {
  server.post(
    `${tickets}/:ticketId/split`,
    {
      config: {
        can,
        errors: [
          'ticket.not_found',
          'message.not_found',
          'ticket.version_mismatch',
          'ticket.merged',
          'ticket.spam',
          'ticket.split_takes_all',
        ],
      },
      schema: {
        operationId: 'splitTicket',
        summary: 'Move messages to a new ticket',
        tags,
        params: ticketParams,
        body: splitBody,
        response: { 201: splitAnswer },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const { original, ticket, movedMessages } = await splitTicket(tx, actor, {
          ...request.body,
          ticketId: request.params.ticketId,
          ifMatch: ifMatchOf(request),
        });
        return { status: 201, body: { ticket, movedMessages }, etag: original.version };
      }),
  );
}
