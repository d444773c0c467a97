import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { nextPageLink, type Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { listedTicketSchema } from '../../helpdesk/tickets/schema.ts';
import { listTickets } from './list.ts';
import { readTeamIds } from './named.ts';
import { listTicketsQuery } from './schema.ts';
import { openSearchTurns } from './search-turns.ts';

const workspace = inWorkspace('tickets');

export function inboxRoutes(server: Server, { db, clock }: App): void {
  const searchInTurn = openSearchTurns();
  workspace.get(server, '/tickets', {
    id: 'listTickets',
    summary: 'List, filter and search tickets',
    description:
      'The header `x-total-count` is exact, unless `x-total-count-relation: gte` makes it a lower bound. ' +
      'The `Link` header has the next page.',
    can: 'ticket.read',
    query: listTicketsQuery,
    answers: { 200: Type.Array(listedTicketSchema) },
    handler: async (request, reply) => {
      const { params, query } = request;
      // A team that is gone has an empty list, because a saved view may still name it.
      readTeamIds(query, 'query.team');
      const list = () => listTickets(db, request.actor, query, clock.now());
      const found = query.search === undefined ? list() : searchInTurn(request, params.workspaceId, list);
      const { tickets: page, total, nextCursor } = await found;
      if (total !== undefined) reply.header('x-total-count', total.count);
      if (total?.isExact === false) reply.header('x-total-count-relation', 'gte');
      if (nextCursor !== undefined) reply.header('link', nextPageLink(request.url, nextCursor));
      return page;
    },
  });
}
