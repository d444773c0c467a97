import { Type } from 'typebox';
import { pageQuery } from '../../access/workspaces/schema.ts';
import type { App } from '../../app.ts';
import { actorOf, nextPageLink, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { addFollower, removeFollower } from './follow.ts';
import { addFollowerBody, followerParams, followerSchema } from './follower-schema.ts';
import { listFollowers } from './followers.ts';
import { hasTicket } from './queries.ts';
import { ticketParams } from './schema.ts';

const followers = '/v1/workspaces/:workspaceId/tickets/:ticketId/followers';
const tags = ['tickets'];
const own = { can: 'notification.own' } as const;
const limitDefault = 100;

export function followerRoutes(server: Server, { db }: App): void {
  server.get(
    followers,
    {
      config: { can: 'ticket.read', errors: ['ticket.not_found'] },
      schema: {
        operationId: 'listFollowers',
        summary: 'List the followers of a ticket',
        description: 'The oldest account comes first. The next page is in the `Link` header.',
        tags,
        params: ticketParams,
        querystring: pageQuery,
        response: { 200: Type.Array(followerSchema) },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { ticketId } = request.params;
      const { limit = limitDefault, cursor } = request.query;
      if (!(await hasTicket(db, actor, ticketId))) throw new AppError('ticket.not_found');
      const { items, nextCursor } = await listFollowers(db, actor, { ticketId, limit, cursor });
      if (nextCursor !== undefined) reply.header('link', nextPageLink(request.url, nextCursor));
      return items;
    },
  );

  server.post(
    followers,
    {
      config: { ...own, errors: ['ticket.not_found', 'ticket.merged', 'ticket.spam'] },
      schema: {
        operationId: 'addFollower',
        summary: 'Follow a ticket, or add a colleague as follower',
        description: 'Adding others needs a role that may change tickets. Returns 200 if the person already follows.',
        tags,
        params: ticketParams,
        body: addFollowerBody,
        response: { 200: followerSchema, 201: followerSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        const { ticketId } = request.params;
        const { userId = actor.userId } = request.body;
        const { follower, isNew } = await addFollower(tx, actor, { ticketId, userId });
        return { status: isNew ? 201 : 200, body: follower };
      }),
  );

  server.delete(
    `${followers}/:userId`,
    {
      config: { ...own, errors: ['ticket.not_found', 'follower.not_found'] },
      schema: {
        operationId: 'removeFollower',
        summary: 'Stop following a ticket',
        description: 'Removing others needs a role that may change tickets.',
        tags,
        params: followerParams,
        response: { 204: Type.Null() },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => {
        await removeFollower(tx, actor, request.params);
        return { status: 204, body: null };
      }),
  );
}
