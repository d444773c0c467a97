import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { pageOf, type Server } from '../../../ground/http/http.ts';
import { forSignedIn } from '../../../ground/http/operation.ts';
import { uuid } from '../../../ground/http/schema.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { endOwnSession, endSessions } from '../../accounts/end-session.ts';
import { listOwnSessions } from '../../accounts/own-sessions.ts';
import { ownSessionSchema } from '../../accounts/schema.ts';
import { pageQuery } from '../../workspaces/schema.ts';

const signedIn = forSignedIn('accounts');

export function ownSessionRoutes(server: Server, { db, clock }: App): void {
  signedIn.get(server, '/v1/me/sessions', {
    id: 'listOwnSessions',
    summary: 'List your open sessions, the newest sign-in first',
    description: 'The next page is in the `Link` header.',
    query: pageQuery,
    answers: { 200: Type.Array(ownSessionSchema) },
    handler: async ({ principal, query, url }, reply) => {
      const paging = { ...query, now: clock.now() };
      return pageOf(await listOwnSessions(db, principal, paging), url, reply);
    },
  });

  signedIn.delete(server, '/v1/me/sessions/:sessionId', {
    id: 'endOwnSession',
    summary: 'End one of your sessions',
    description: 'Its access tokens are refused from the next request on. To end the current session is to sign out.',
    errors: ['session.not_found'],
    params: Type.Object({ sessionId: uuid }),
    answers: { 204: Type.Null() },
    handler: async ({ principal, params }) => {
      const { userId } = principal;
      const { sessionId } = params;
      await db.tx(async (tx) => {
        if (!(await endOwnSession(tx, { userId, sessionId }))) throw new AppError('session.not_found');
      });
    },
  });

  signedIn.delete(server, '/v1/me/sessions', {
    id: 'endOtherSessions',
    summary: 'End all your sessions except this one',
    answers: { 204: Type.Null() },
    handler: async ({ principal: { userId, sessionId } }) =>
      await db.tx((tx) => endSessions(tx, { userId, except: sessionId })),
  });
}
