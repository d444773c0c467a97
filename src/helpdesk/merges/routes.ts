import { ifMatchOf, type Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { ticketParams } from '../tickets/schema.ts';
import { mergeTickets } from './merge.ts';
import { mergeAnswer, mergeBody, sourceParams, splitAnswer, splitBody, unmergeAnswer } from './schema.ts';
import { splitTicket } from './split.ts';
import { unmergeTicket } from './unmerge.ts';

const workspace = inWorkspace('tickets');

/** `ETag` and `If-Match` always refer to the ticket in the path. */
export function mergeRoutes(server: Server): void {
  mergeRoute(server);
  unmergeRoute(server);
  splitRoute(server);
}

function mergeRoute(server: Server): void {
  workspace.post(server, '/tickets/:sourceTicketId/merge', {
    id: 'mergeTickets',
    summary: 'Merge a ticket into another one',
    can: 'ticket.write',
    errors: [
      'ticket.not_found',
      'ticket.version_mismatch',
      'ticket.merged',
      'ticket.spam',
      'ticket.sample',
      'ticket.merge_into_itself',
    ],
    params: sourceParams,
    body: mergeBody,
    answers: { 200: mergeAnswer },
    inTx: async (tx, request) => {
      const { actor } = request;
      const { source, target, movedMessages } = await mergeTickets(tx, actor, {
        ticketId: request.params.sourceTicketId,
        targetTicketId: request.body.targetTicketId,
        ifMatch: ifMatchOf(request),
      });
      return answer({ ticket: target, movedMessages }, { etag: source.version });
    },
  });
}

function unmergeRoute(server: Server): void {
  workspace.post(server, '/tickets/:sourceTicketId/unmerge', {
    id: 'unmergeTicket',
    summary: 'Undo the merge of a ticket into another one',
    can: 'ticket.write',
    errors: ['ticket.not_found', 'ticket.version_mismatch', 'ticket.not_merged', 'ticket.spam'],
    params: sourceParams,
    answers: { 200: unmergeAnswer },
    inTx: async (tx, request) => {
      const { actor } = request;
      const { source, survivor } = await unmergeTicket(tx, actor, {
        ticketId: request.params.sourceTicketId,
        ifMatch: ifMatchOf(request),
      });
      return answer({ ticket: source, target: survivor }, { etag: source.version });
    },
  });
}

function splitRoute(server: Server): void {
  workspace.post(server, '/tickets/:ticketId/split', {
    id: 'splitTicket',
    summary: 'Move messages to a new ticket',
    can: 'ticket.write',
    errors: [
      'ticket.not_found',
      'message.not_found',
      'ticket.version_mismatch',
      'ticket.merged',
      'ticket.spam',
      'ticket.split_takes_all',
    ],
    params: ticketParams,
    body: splitBody,
    answers: { 201: splitAnswer },
    inTx: async (tx, request) => {
      const { actor } = request;
      const { original, ticket, movedMessages } = await splitTicket(tx, actor, {
        ...request.body,
        ticketId: request.params.ticketId,
        ifMatch: ifMatchOf(request),
      });
      return answer({ ticket, movedMessages }, { etag: original.version });
    },
  });
}
