import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { answerChange } from '../tickets/answer-change.ts';
import { ticketParams, ticketSchema } from '../tickets/schema.ts';
import { purgeTicket } from './purge.ts';

const ticket = '/v1/workspaces/:workspaceId/tickets/:ticketId';
const tags = ['tickets'];
const write = {
  can: 'ticket.write',
  errors: ['ticket.not_found', 'ticket.version_mismatch', 'ticket.merged'],
} as const;

export function trashRoutes(server: Server, { db }: App): void {
  server.delete(
    ticket,
    {
      config: write,
      schema: {
        operationId: 'trashTicket',
        summary: 'Move a ticket to the trash',
        description: 'It can be restored for 30 days, and is then deleted for good.',
        tags,
        params: ticketParams,
        response: { 200: ticketSchema },
      },
    },
    (request, reply) => answerChange(db, request, reply, { trash: true }),
  );

  server.post(
    `${ticket}/restore`,
    {
      config: write,
      schema: {
        operationId: 'restoreTicket',
        summary: 'Bring a ticket back from the trash',
        tags,
        params: ticketParams,
        response: { 200: ticketSchema },
      },
    },
    (request, reply) => answerChange(db, request, reply, { trash: false }),
  );

  server.post(
    `${ticket}/purge`,
    {
      config: { can: 'ticket.purge', errors: ['ticket.not_found', 'ticket.not_in_trash'] },
      schema: {
        operationId: 'purgeTicket',
        summary: 'Delete a ticket in the trash for good',
        description:
          'Deletes its messages, original mails, files, events and drafts at once; the bytes of files follow within ' +
          'two days. Nothing brings them back.',
        tags,
        params: ticketParams,
        response: { 204: Type.Null() },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        await purgeTicket(tx, actor, request.params.ticketId);
        return { status: 204, body: null };
      }),
  );
}
