import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { blockSender, unblockSender } from './block-list.ts';
import { listBlockedSenders } from './queries.ts';
import {
  blockedSenderParams,
  blockedSenderSchema,
  blockedSendersPage,
  blockSenderBody,
  listBlockedSendersQuery,
} from './schema.ts';

const blocked = '/v1/workspaces/:workspaceId/blocked-senders';
const tags = ['tickets'];

/** The errors that keep an address or a domain off the block list. */
export const blockErrors = ['blocked_sender.own', 'blocked_sender.shared_domain', 'blocked_sender.too_many'] as const;

export function blockRoutes(server: Server, { db }: App): void {
  server.get(
    blocked,
    {
      config: { can: 'ticket.read' },
      schema: {
        operationId: 'listBlockedSenders',
        summary: 'List and search the addresses and domains whose mail becomes spam',
        tags,
        params: workspaceParams,
        querystring: listBlockedSendersQuery,
        response: { 200: blockedSendersPage },
      },
    },
    (request) => listBlockedSenders(db, actorOf(request).workspaceId, request.query),
  );

  server.post(
    blocked,
    {
      config: { can: 'ticket.write', errors: blockErrors },
      schema: {
        operationId: 'blockSender',
        summary: 'Block an address or a domain',
        description: 'Its mail becomes spam from now on. 200 answers that it is on the list already.',
        tags,
        params: workspaceParams,
        body: blockSenderBody,
        response: { 200: blockedSenderSchema, 201: blockedSenderSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const { entry, isNew } = await blockSender(tx, actor, request.body);
        return { status: isNew ? 201 : 200, body: entry };
      }),
  );

  server.delete(
    `${blocked}/:blockedSenderId`,
    {
      config: { can: 'ticket.write', errors: ['blocked_sender.not_found'] },
      schema: {
        operationId: 'unblockSender',
        summary: 'Take an address or a domain off the block list',
        description: 'What became spam stays spam.',
        tags,
        params: blockedSenderParams,
        response: { 204: Type.Null() },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        await unblockSender(tx, actor, request.params.blockedSenderId);
        return { status: 204, body: null };
      }),
  );
}
