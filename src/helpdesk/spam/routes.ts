import type { App } from '../../app.ts';
import { ifMatchOf, type Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { changeTicket } from '../tickets/change-ticket.ts';
import { ticketParams, ticketSchema } from '../tickets/schema.ts';
import { markSpamAndBlock, unblockRequester } from './block-list.ts';
import { blockErrors, blockRoutes } from './block-routes.ts';
import { markSpamBody, unmarkSpamBody } from './schema.ts';

const workspace = inWorkspace('tickets');
const write = {
  can: 'ticket.write',
  errors: ['ticket.not_found', 'ticket.version_mismatch', 'ticket.merged'],
} as const;

export function spamRoutes(server: Server, app: App): void {
  markRoutes(server);
  blockRoutes(server, app);
}

function markRoutes(server: Server): void {
  workspace.post(server, '/tickets/:ticketId/spam', {
    id: 'markSpam',
    summary: 'Mark a ticket as spam',
    description: 'Later mail of the conversation stays spam, and tells nobody. It is deleted for good after 30 days.',
    can: 'ticket.write',
    errors: [...write.errors, ...blockErrors, 'blocked_sender.forged', 'blocked_sender.unknown'],
    params: ticketParams,
    body: markSpamBody,
    answers: { 200: ticketSchema },
    inTx: async (tx, request) => {
      const { actor } = request;
      const target = { ticketId: request.params.ticketId, ifMatch: ifMatchOf(request) };
      const marked = await markSpamAndBlock(tx, actor, { ...target, ...request.body });
      return answer(marked, { etag: marked.version });
    },
  });

  workspace.post(server, '/tickets/:ticketId/not-spam', {
    id: 'unmarkSpam',
    summary: 'Bring a ticket back from spam',
    description: 'A mail that came meanwhile opens the ticket, and tells those whom it would have told.',
    ...write,
    params: ticketParams,
    body: unmarkSpamBody,
    answers: { 200: ticketSchema },
    inTx: async (tx, request) => {
      const { actor } = request;
      const target = { ticketId: request.params.ticketId, ifMatch: ifMatchOf(request) };
      const unmarked = await changeTicket(tx, actor, target, { spam: false });
      if (request.body.unblockSender === true) await unblockRequester(tx, actor, unmarked);
      return answer(unmarked, { etag: unmarked.version });
    },
  });
}
