import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone } from '../../ground/http/operation.ts';
import { AppError, type GivenIssue, invalidRequest } from '../../ground/lib/errors.ts';
import { endOwnSession, endSessionOf } from '../accounts/end-session.ts';
import type { Client } from '../accounts/start-session.ts';
import { answerWithSession } from './answer-with-session.ts';
import { clientOf } from './client.ts';
import { meetChallenge } from './meet-challenge.ts';
import { refresh } from './refresh.ts';
import {
  logoutBody,
  openedSessionSchema,
  refreshTokenBody,
  type Session,
  sessionBodyOf,
  sessionSchema,
} from './schema.ts';
import { refuseCrossSite } from './session-cookie.ts';
import { signIn } from './sign-in.ts';
import { signInWithIdentity } from './sign-in-with-identity.ts';

const everyone = forEveryone('accounts');
const nothing = Type.Object({});

export function sessionRoutes(server: Server, app: App): void {
  signInRoutes(server, app);
  keepingRoutes(server, app);
}

function signInRoutes(server: Server, app: App): void {
  everyone.post(server, '/v1/auth/session', {
    id: 'startSession',
    summary: 'Sign in',
    description:
      'The provider `local` needs `email` and `password`. Any other provider needs its `idToken`. ' +
      'Without `workspaceId` the session opens in the workspace last used. ' +
      'With a second factor the answer is 401 `auth.second_factor_required` with `params.challenge`, ' +
      'which is valid for `params.expiresIn` seconds. ' +
      'Then call again with `provider` `local`, that `challenge` and a `code`.',
    errors: [
      'auth.provider_not_configured',
      'auth.invalid_credentials',
      'auth.identity_token_invalid',
      'auth.second_factor_required',
      'auth.token_invalid',
      'auth.email_not_verified',
      'auth.registration_closed',
      'auth.cross_site',
      'auth.identity_not_linked',
      'workspace.forbidden',
    ],
    body: sessionBodyOf(app.config.identityProviders),
    answers: { 200: openedSessionSchema },
    handler: (request, reply) => {
      const { transport, ...shown } = request.body;
      return answerWithSession(app, { request, reply, transport }, () => openFor(app, shown, clientOf(request)));
    },
  });
}

type Shown = Omit<Type.Static<ReturnType<typeof sessionBodyOf>>, 'transport'>;

/** Opens a session for a password, an identity token or the code of a second factor. */
async function openFor(app: App, shown: Shown, client: Client): Promise<Session> {
  const { provider, email, password, idToken, nonce, workspaceId, challenge, code } = shown;
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
}

function keepingRoutes(server: Server, app: App): void {
  everyone.post(server, '/v1/auth/refresh', {
    id: 'refreshSession',
    summary: 'Exchange a refresh token for the next pair of tokens',
    description:
      'A refresh token works once. Using it again ends its session. ' +
      'A retry within 10 seconds gets another pair instead, in case the first answer was lost.',
    errors: ['auth.token_invalid'],
    body: refreshTokenBody,
    answers: { 200: sessionSchema },
    handler: ({ body }) => refresh(app, body.refreshToken),
  });

  everyone.post(server, '/v1/auth/logout', {
    id: 'endSession',
    summary: 'Sign out',
    description:
      'Ends the session of the refresh token or, without a token, of the cookie. ' +
      'An unknown token gets the same answer.',
    errors: ['auth.cross_site'],
    body: logoutBody,
    answers: { 200: nothing },
    handler: async (request, reply) => {
      const { refreshToken } = request.body;
      if (refreshToken === undefined) await endCookieSession(app, request, reply);
      else await app.db.tx((tx) => endSessionOf(tx, refreshToken));
      return {};
    },
  });
}

async function endCookieSession(app: App, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const principal = app.cookies.read(request);
  if (principal === undefined) throw invalidRequest(...missingOf({ refreshToken: undefined }));
  refuseCrossSite(request, app.config);
  if (!(principal instanceof AppError)) await app.db.tx((tx) => endOwnSession(tx, principal));
  app.cookies.clear(reply);
  reply.header('clear-site-data', '"cache", "storage"');
}

function missingOf(fields: Record<string, unknown>): GivenIssue[] {
  return Object.entries(fields)
    .filter(([, value]) => value === undefined)
    .map(([name]) => ({ path: `body.${name}`, key: 'required' }));
}
