import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { nextPageLink, principalOf, type Server } from '../../../ground/http/http.ts';
import { uuid } from '../../../ground/http/schema.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { endOwnSession, endSessions } from '../../accounts/end-session.ts';
import { listOwnSessions } from '../../accounts/own-sessions.ts';
import { ownSessionSchema } from '../../accounts/schema.ts';
import { pageQuery } from '../../workspaces/schema.ts';

const tags = ['accounts'];

export function ownSessionRoutes(server: Server, { db, clock }: App): void {
  server.get(
    '/v1/me/sessions',
    {
      config: { signedIn: true },
      schema: {
        operationId: 'listOwnSessions',
        summary: 'List your open sessions, the newest sign-in first',
        description: 'The next page is in the `Link` header.',
        tags,
        querystring: pageQuery,
        response: { 200: Type.Array(ownSessionSchema) },
      },
    },
    async (request, reply) => {
      const paging = { ...request.query, now: clock.now() };
      const { items, nextCursor } = await listOwnSessions(db, principalOf(request), paging);
      if (nextCursor !== undefined) reply.header('link', nextPageLink(request.url, nextCursor));
      return items;
    },
  );

  server.delete(
    '/v1/me/sessions/:sessionId',
    {
      config: { signedIn: true, errors: ['session.not_found'] },
      schema: {
        operationId: 'endOwnSession',
        summary: 'End one of your sessions',
        description:
          'Its access tokens are refused from the next request on. To end the current session is to sign out.',
        tags,
        params: Type.Object({ sessionId: uuid }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = principalOf(request);
      const { sessionId } = request.params;
      await db.tx(async (tx) => {
        if (!(await endOwnSession(tx, { userId, sessionId }))) throw new AppError('session.not_found');
      });
      return reply.code(204).send(null);
    },
  );

  server.delete(
    '/v1/me/sessions',
    {
      config: { signedIn: true },
      schema: {
        operationId: 'endOtherSessions',
        summary: 'End all your sessions except this one',
        tags,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId, sessionId } = principalOf(request);
      await db.tx((tx) => endSessions(tx, { userId, except: sessionId }));
      return reply.code(204).send(null);
    },
  );
}
