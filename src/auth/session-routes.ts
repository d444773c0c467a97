import { Type } from 'typebox';
import { endSessionOf } from '../accounts/end-session.ts';
import type { App } from '../app.ts';
import { AppError, type Issue, invalidRequest } from '../lib/errors.ts';
import type { Server } from '../platform/http.ts';
import { clientOf } from './client.ts';
import { refresh } from './refresh.ts';
import { refreshTokenBody, sessionBody, sessionSchema } from './schema.ts';
import { signIn } from './sign-in.ts';

const tags = ['accounts'];
const nothing = Type.Object({});

export function sessionRoutes(server: Server, app: App): void {
  server.post(
    '/v1/auth/session',
    {
      config: {
        public: true,
        errors: [
          'auth.provider_not_configured',
          'auth.invalid_credentials',
          'auth.email_not_verified',
          'workspace.forbidden',
        ],
      },
      schema: {
        operationId: 'startSession',
        summary: 'Sign in',
        description:
          'With `provider` `local`, `email` and `password` are needed. Without `workspaceId` the session is in the workspace last used.',
        tags,
        body: sessionBody,
        response: { 200: sessionSchema },
      },
    },
    async (request) => {
      const { provider, email, password, workspaceId } = request.body;
      if (provider !== 'local') throw new AppError('auth.provider_not_configured');
      if (email === undefined || password === undefined) throw invalidRequest(...missingOf({ email, password }));
      return signIn(app, { email, password, workspaceId, client: clientOf(request) });
    },
  );

  server.post(
    '/v1/auth/refresh',
    {
      config: { public: true, errors: ['auth.token_invalid'] },
      schema: {
        operationId: 'refreshSession',
        summary: 'Exchange a refresh token for the next pair of tokens',
        description:
          'A refresh token works once. One that comes again ends its session, except within 10 seconds: then the answer was lost, and another one is given.',
        tags,
        body: refreshTokenBody,
        response: { 200: sessionSchema },
      },
    },
    (request) => refresh(app, request.body.refreshToken),
  );

  server.post(
    '/v1/auth/logout',
    {
      config: { public: true },
      schema: {
        operationId: 'endSession',
        summary: 'Sign out',
        description: 'Answers the same for a token that is not known.',
        tags,
        body: refreshTokenBody,
        response: { 200: nothing },
      },
    },
    async (request) => {
      await app.db.tx((tx) => endSessionOf(tx, request.body.refreshToken));
      return {};
    },
  );
}

function missingOf(fields: Record<string, unknown>): Issue[] {
  return Object.entries(fields)
    .filter(([, value]) => value === undefined)
    .map(([name]) => ({ path: `body.${name}`, message: 'is required' }));
}
