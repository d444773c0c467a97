import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Live } from '../../ground/database/live.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { ids, uuid } from '../../ground/http/schema.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import { ticketParams } from './schema.ts';
import { markSeen, markUnseen } from './unread.ts';

const path = '/v1/workspaces/:workspaceId/tickets/:ticketId/seen';
const tags = ['tickets'];
const read = { can: 'ticket.read' } as const;
const seenBody = Type.Object({
  messageId: Type.Unsafe<MessageId>({ ...uuid, description: 'The newest message that you have seen.' }),
});
const seenSchema = Type.Object({ ticketId: ids.ticket, unread: Type.Boolean() });

export function seenRoutes(server: Server, { db, live }: App): void {
  server.put(
    path,
    {
      config: { ...read, errors: ['ticket.not_found', 'message.not_found'] },
      schema: {
        operationId: 'markTicketSeen',
        summary: 'Mark a ticket as seen up to a message',
        description: 'The ticket stays unread if something newer has come; the field `unread` of the response says so.',
        tags,
        params: ticketParams,
        body: seenBody,
        response: { 200: seenSchema },
      },
    },
    async (request) => {
      const actor = actorOf(request);
      const { ticketId } = request.params;
      const unread = await db.tx((tx) => markSeen(tx, actor, { ticketId, messageId: request.body.messageId }));
      tellOfSeen(live, actor, { ticketId, unread });
      return { ticketId, unread };
    },
  );

  server.delete(
    path,
    {
      config: { ...read, errors: ['ticket.not_found'] },
      schema: {
        operationId: 'markTicketUnseen',
        summary: 'Mark a ticket as unread for you',
        tags,
        params: ticketParams,
        response: { 200: seenSchema },
      },
    },
    async (request) => {
      const actor = actorOf(request);
      const { ticketId } = request.params;
      const unread = await db.tx((tx) => markUnseen(tx, actor, ticketId));
      tellOfSeen(live, actor, { ticketId, unread });
      return { ticketId, unread };
    },
  );
}

/** Signals the member's own streams whether a ticket is unread for them. Call it after the commit. */
function tellOfSeen(live: Live, { workspaceId, userId }: Actor, data: { ticketId: TicketId; unread: boolean }): void {
  live.signal({ workspaceId, userId, event: 'seen', data });
}
