import { Type } from 'typebox';
import { pageQuery } from '../../access/workspaces/schema.ts';
import type { App } from '../../app.ts';
import { pageOf, type Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { addFollower, removeFollower } from './follow.ts';
import { addFollowerBody, followerParams, followerSchema } from './follower-schema.ts';
import { listFollowers } from './followers.ts';
import { hasTicket } from './queries.ts';
import { ticketParams } from './schema.ts';

const workspace = inWorkspace('tickets');
const limitDefault = 100;

export function followerRoutes(server: Server, { db, live }: App): void {
  workspace.get(server, '/tickets/:ticketId/followers', {
    id: 'listFollowers',
    summary: 'List the followers of a ticket',
    description: 'The oldest account comes first. The next page is in the `Link` header.',
    can: 'ticket.read',
    errors: ['ticket.not_found'],
    params: ticketParams,
    query: pageQuery,
    answers: { 200: Type.Array(followerSchema) },
    handler: async ({ actor, params, query, url }, reply) => {
      const { ticketId } = params;
      const { limit = limitDefault, cursor } = query;
      if (!(await hasTicket(db, actor, ticketId))) throw new AppError('ticket.not_found');
      return pageOf(await listFollowers(db, actor, { ticketId, limit, cursor }), url, reply);
    },
  });

  workspace.post(server, '/tickets/:ticketId/followers', {
    id: 'addFollower',
    summary: 'Follow a ticket, or add a colleague as follower',
    description: 'Adding others needs a role that may change tickets. Returns 200 if the person already follows.',
    can: 'notification.own',
    errors: ['ticket.not_found', 'ticket.merged', 'ticket.spam'],
    params: ticketParams,
    body: addFollowerBody,
    answers: { 200: followerSchema, 201: followerSchema },
    inTx: async (tx, { actor, params, body }) => {
      const { ticketId } = params;
      const { userId = actor.userId } = body;
      const { follower, isNew } = await addFollower(tx, actor, { ticketId, userId });
      return answer(follower, { status: isNew ? 201 : 200 });
    },
  });

  workspace.delete(server, '/tickets/:ticketId/followers/:userId', {
    id: 'removeFollower',
    summary: 'Stop following a ticket',
    description: 'Removing others needs a role that may change tickets.',
    can: 'notification.own',
    errors: ['ticket.not_found', 'follower.not_found'],
    params: followerParams,
    answers: { 204: Type.Null() },
    inTx: (tx, { actor, params }) => removeFollower(tx, actor, params),
    // Streams pass it on where the ticket is hidden now.
    afterwards: ({ actor: { workspaceId }, params: { ticketId, userId } }) =>
      live.signal({ workspaceId, userId, event: 'team', data: { ticketId } }),
  });
}
