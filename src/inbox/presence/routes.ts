import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { hasTicket, visibleAmong } from '../../helpdesk/tickets/queries.ts';
import { ticketParams } from '../../helpdesk/tickets/schema.ts';
import { PresenceBoard } from './presence.ts';
import { presenceOfWorkspace, presentPeople, putPresenceBody } from './schema.ts';

const workspace = inWorkspace('tickets');

export function presenceRoutes(server: Server, { db, live }: App): void {
  const board = new PresenceBoard(live);
  server.addHook('onListen', async () => board.open());
  server.addHook('onClose', async () => board.close());

  workspace.put(server, '/tickets/:ticketId/presence', {
    id: 'putPresence',
    summary: 'Report that you are at a ticket, or have left it',
    description:
      'Valid for 20 seconds: repeat it every 10. Streams get a `presence` event at most once a second a ticket.',
    can: 'ticket.read',
    errors: ['ticket.not_found'],
    params: ticketParams,
    body: putPresenceBody,
    answers: { 200: presentPeople },
    handler: async ({ actor, params, body }) => {
      const { workspaceId, userId } = actor;
      const { ticketId } = params;
      if (!(await hasTicket(db, actor, ticketId))) throw new AppError('ticket.not_found');
      const { state } = body;
      board.beat(workspaceId, { ticketId, userId, state: state === 'left' ? null : state });
      // The beat that was just sent arrives a moment later, so the answer adds the caller.
      const others = board.peopleAt(workspaceId, ticketId).filter((person) => person.userId !== userId);
      return { people: state === 'left' || state === null ? others : [...others, { userId, state }] };
    },
  });

  workspace.get(server, '/presence', {
    id: 'listPresence',
    summary: 'List who is at which ticket now',
    can: 'ticket.read',
    answers: { 200: presenceOfWorkspace },
    handler: async ({ actor }) => {
      const tickets = board.ticketsOf(actor.workspaceId);
      const ticketIds = tickets.map(({ ticketId }) => ticketId);
      const seen = await visibleAmong(db, actor, ticketIds);
      return { tickets: tickets.filter(({ ticketId }) => seen.has(ticketId)) };
    },
  });
}
