import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { hasTicket, visibleAmong } from '../../helpdesk/tickets/queries.ts';
import { ticketParams } from '../../helpdesk/tickets/schema.ts';
import { PresenceBoard } from './presence.ts';
import { presenceOfWorkspace, presentPeople, putPresenceBody } from './schema.ts';

const tags = ['tickets'];
const can = 'ticket.read';

export function presenceRoutes(server: Server, { db, live }: App): void {
  const board = new PresenceBoard(live);
  server.addHook('onListen', async () => board.open());
  server.addHook('onClose', async () => board.close());

  server.put(
    '/v1/workspaces/:workspaceId/tickets/:ticketId/presence',
    {
      config: { can, errors: ['ticket.not_found'] },
      schema: {
        operationId: 'putPresence',
        summary: 'Report that you are at a ticket, or have left it',
        description:
          'Valid for 20 seconds: repeat it every 10. Streams get a `presence` event at most once a second a ticket.',
        tags,
        params: ticketParams,
        body: putPresenceBody,
        response: { 200: presentPeople },
      },
    },
    async (request) => {
      const actor = actorOf(request);
      const { workspaceId, userId } = actor;
      const { ticketId } = request.params;
      if (!(await hasTicket(db, actor, ticketId))) throw new AppError('ticket.not_found');
      const { state } = request.body;
      board.beat(workspaceId, { ticketId, userId, state: state === 'left' ? null : state });
      // The beat that was just sent arrives a moment later, so the answer adds the caller.
      const others = board.peopleAt(workspaceId, ticketId).filter((person) => person.userId !== userId);
      return { people: state === 'left' || state === null ? others : [...others, { userId, state }] };
    },
  );

  server.get(
    '/v1/workspaces/:workspaceId/presence',
    {
      config: { can },
      schema: {
        operationId: 'listPresence',
        summary: 'List who is at which ticket now',
        tags,
        params: workspaceParams,
        response: { 200: presenceOfWorkspace },
      },
    },
    async (request) => {
      const actor = actorOf(request);
      const tickets = board.ticketsOf(actor.workspaceId);
      const ticketIds = tickets.map(({ ticketId }) => ticketId);
      const seen = await visibleAmong(db, actor, ticketIds);
      return { tickets: tickets.filter(({ ticketId }) => seen.has(ticketId)) };
    },
  );
}
