import { Type } from 'typebox';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { answerChange } from '../tickets/answer-change.ts';
import { ticketParams, ticketSchema } from '../tickets/schema.ts';
import { purgeTicket } from './purge.ts';

const workspace = inWorkspace('tickets');
const write = {
  can: 'ticket.write',
  errors: ['ticket.not_found', 'ticket.version_mismatch', 'ticket.merged'],
} as const;

export function trashRoutes(server: Server): void {
  workspace.delete(server, '/tickets/:ticketId', {
    id: 'trashTicket',
    summary: 'Move a ticket to the trash',
    description: 'It can be restored for 30 days, and is then deleted for good.',
    ...write,
    params: ticketParams,
    answers: { 200: ticketSchema },
    inTx: (tx, request) => answerChange(tx, request, { trash: true }),
  });

  workspace.post(server, '/tickets/:ticketId/restore', {
    id: 'restoreTicket',
    summary: 'Bring a ticket back from the trash',
    ...write,
    params: ticketParams,
    answers: { 200: ticketSchema },
    inTx: (tx, request) => answerChange(tx, request, { trash: false }),
  });

  workspace.post(server, '/tickets/:ticketId/purge', {
    id: 'purgeTicket',
    summary: 'Delete a ticket in the trash for good',
    description:
      'Deletes its messages, original mails, files, events and drafts at once; the bytes of files follow within ' +
      'two days. Nothing brings them back.',
    can: 'ticket.purge',
    errors: ['ticket.not_found', 'ticket.not_in_trash'],
    params: ticketParams,
    answers: { 204: Type.Null() },
    inTx: (tx, { actor, params }) => purgeTicket(tx, actor, params.ticketId),
  });
}
