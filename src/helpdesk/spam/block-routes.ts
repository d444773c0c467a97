import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { blockSender, unblockSender } from './block-list.ts';
import { listBlockedSenders } from './queries.ts';
import {
  blockedSenderParams,
  blockedSenderSchema,
  blockedSendersPage,
  blockSenderBody,
  listBlockedSendersQuery,
} from './schema.ts';

const workspace = inWorkspace('tickets');

/** The errors that keep an address or a domain off the block list. */
export const blockErrors = ['blocked_sender.own', 'blocked_sender.shared_domain', 'blocked_sender.too_many'] as const;

export function blockRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/blocked-senders', {
    id: 'listBlockedSenders',
    summary: 'List and search the addresses and domains whose mail becomes spam',
    can: 'ticket.read',
    query: listBlockedSendersQuery,
    answers: { 200: blockedSendersPage },
    handler: ({ actor, query }) => listBlockedSenders(db, actor.workspaceId, query),
  });

  workspace.post(server, '/blocked-senders', {
    id: 'blockSender',
    summary: 'Block an address or a domain',
    description: 'Its mail becomes spam from now on. 200 answers that it is on the list already.',
    can: 'ticket.write',
    errors: blockErrors,
    body: blockSenderBody,
    answers: { 200: blockedSenderSchema, 201: blockedSenderSchema },
    inTx: async (tx, { actor, body }) => {
      const { entry, isNew } = await blockSender(tx, actor, body);
      return answer(entry, { status: isNew ? 201 : 200 });
    },
  });

  workspace.delete(server, '/blocked-senders/:blockedSenderId', {
    id: 'unblockSender',
    summary: 'Take an address or a domain off the block list',
    description: 'What became spam stays spam.',
    can: 'ticket.write',
    errors: ['blocked_sender.not_found'],
    params: blockedSenderParams,
    answers: { 204: Type.Null() },
    inTx: (tx, { actor, params }) => unblockSender(tx, actor, params.blockedSenderId),
  });
}
