import { Type } from 'typebox';
import { endSessionOf } from '../accounts/end-session.ts';
import type { App } from '../app.ts';
import { AppError, type Issue, invalidRequest } from '../lib/errors.ts';
import type { Server } from '../platform/http.ts';
import { clientOf } from './client.ts';
import { meetChallenge } from './meet-challenge.ts';
import { refresh } from './refresh.ts';
import { refreshTokenBody, sessionBodyOf, sessionSchema } from './schema.ts';
import { signIn } from './sign-in.ts';
import { signInWithIdentity } from './sign-in-with-identity.ts';

const tags = ['accounts'];
const nothing = Type.Object({});

export function sessionRoutes(server: Server, app: App): void {
  signInRoutes(server, app);
  keepingRoutes(server, app);
}

function signInRoutes(server: Server, app: App): void {
  server.post(
    '/v1/auth/session',
    {
      config: {
        public: true,
        errors: [
          'auth.provider_not_configured',
          'auth.invalid_credentials',
          'auth.identity_token_invalid',
          'auth.second_factor_required',
          'auth.token_invalid',
          'auth.email_not_verified',
          'auth.registration_closed',
          'auth.identity_not_linked',
          'workspace.forbidden',
        ],
      },
      schema: {
        operationId: 'startSession',
        summary: 'Sign in',
        description:
          'With `provider` `local`, `email` and `password` are needed, with any other one the `idToken` that it gave. Without `workspaceId` the session is in the workspace last used. Who has a second factor is answered 401 `auth.second_factor_required` with `params.challenge`, good for `params.expiresIn` seconds, and calls again with `provider` `local`, that `challenge` and a `code`.',
        tags,
        body: sessionBodyOf(app.config.identityProviders),
        response: { 200: sessionSchema },
      },
    },
    async (request) => {
      const { provider, email, password, idToken, nonce, workspaceId, challenge, code } = request.body;
      const client = clientOf(request);
      if (provider === 'local' && challenge !== undefined) {
        if (code === undefined) throw invalidRequest(...missingOf({ code }));
        return meetChallenge(app, { challenge, code, client });
      }
      if (provider !== 'local') {
        if (!app.identities.isOpen(provider)) throw new AppError('auth.provider_not_configured');
        if (idToken === undefined) throw invalidRequest(...missingOf({ idToken }));
        return signInWithIdentity(app, { provider, idToken, nonce, workspaceId, client });
      }
      if (email === undefined || password === undefined) throw invalidRequest(...missingOf({ email, password }));
      return signIn(app, { email, password, workspaceId, client });
    },
  );
}

function keepingRoutes(server: Server, app: App): void {
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
