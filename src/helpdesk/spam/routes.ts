import type { App } from '../../app.ts';
import { ifMatchOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { changeTicket } from '../tickets/change-ticket.ts';
import { ticketParams, ticketSchema } from '../tickets/schema.ts';
import { markSpamAndBlock, unblockRequester } from './block-list.ts';
import { blockErrors, blockRoutes } from './block-routes.ts';
import { markSpamBody, unmarkSpamBody } from './schema.ts';

const ticket = '/v1/workspaces/:workspaceId/tickets/:ticketId';
const tags = ['tickets'];
const write = {
  can: 'ticket.write',
  errors: ['ticket.not_found', 'ticket.version_mismatch', 'ticket.merged'],
} as const;

export function spamRoutes(server: Server, app: App): void {
  markRoutes(server, app);
  blockRoutes(server, app);
}

function markRoutes(server: Server, { db }: App): void {
  server.post(
    `${ticket}/spam`,
    {
      config: {
        ...write,
        errors: [...write.errors, ...blockErrors, 'blocked_sender.forged', 'blocked_sender.unknown'],
      },
      schema: {
        operationId: 'markSpam',
        summary: 'Mark a ticket as spam',
        description:
          'Later mail of the conversation stays spam, and tells nobody. It is deleted for good after 30 days.',
        tags,
        params: ticketParams,
        body: markSpamBody,
        response: { 200: ticketSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const target = { ticketId: request.params.ticketId, ifMatch: ifMatchOf(request) };
        const marked = await markSpamAndBlock(tx, actor, { ...target, ...request.body });
        return { status: 200, body: marked, etag: marked.version };
      }),
  );

  server.post(
    `${ticket}/not-spam`,
    {
      config: write,
      schema: {
        operationId: 'unmarkSpam',
        summary: 'Bring a ticket back from spam',
        description: 'A mail that came meanwhile opens the ticket, and tells those whom it would have told.',
        tags,
        params: ticketParams,
        body: unmarkSpamBody,
        response: { 200: ticketSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const target = { ticketId: request.params.ticketId, ifMatch: ifMatchOf(request) };
        const unmarked = await changeTicket(tx, actor, target, { spam: false });
        if (request.body.unblockSender === true) await unblockRequester(tx, actor, unmarked);
        return { status: 200, body: unmarked, etag: unmarked.version };
      }),
  );
}
