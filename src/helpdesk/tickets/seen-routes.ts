import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Live } from '../../ground/database/live.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { ids, uuid } from '../../ground/http/schema.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import { ticketParams } from './schema.ts';
import { markSeen, markUnseen } from './unread.ts';

const workspace = inWorkspace('tickets');
const seenBody = Type.Object({
  messageId: Type.Unsafe<MessageId>({ ...uuid, description: 'The newest message that you have seen.' }),
});
const seenSchema = Type.Object({ ticketId: ids.ticket, unread: Type.Boolean() });

export function seenRoutes(server: Server, { db, live }: App): void {
  workspace.put(server, '/tickets/:ticketId/seen', {
    id: 'markTicketSeen',
    summary: 'Mark a ticket as seen up to a message',
    description: 'The ticket stays unread if something newer has come; the field `unread` of the response says so.',
    can: 'ticket.read',
    errors: ['ticket.not_found', 'message.not_found'],
    params: ticketParams,
    body: seenBody,
    answers: { 200: seenSchema },
    handler: async ({ actor, params, body }) => {
      const { ticketId } = params;
      const unread = await db.tx((tx) => markSeen(tx, actor, { ticketId, messageId: body.messageId }));
      tellOfSeen(live, actor, { ticketId, unread });
      return { ticketId, unread };
    },
  });

  workspace.delete(server, '/tickets/:ticketId/seen', {
    id: 'markTicketUnseen',
    summary: 'Mark a ticket as unread for you',
    can: 'ticket.read',
    errors: ['ticket.not_found'],
    params: ticketParams,
    answers: { 200: seenSchema },
    handler: async ({ actor, params }) => {
      const { ticketId } = params;
      const unread = await db.tx((tx) => markUnseen(tx, actor, ticketId));
      tellOfSeen(live, actor, { ticketId, unread });
      return { ticketId, unread };
    },
  });
}

/** Signals the member's own streams whether a ticket is unread for them. Call it after the commit. */
function tellOfSeen(live: Live, { workspaceId, userId }: Actor, data: { ticketId: TicketId; unread: boolean }): void {
  live.signal({ workspaceId, userId, event: 'seen', data });
}
