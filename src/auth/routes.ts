import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { endSessionOf } from '../accounts/end-session.ts';
import { spendVerificationToken } from '../accounts/link-token.ts';
import { getUser } from '../accounts/queries.ts';
import type { Client } from '../accounts/start-session.ts';
import { markEmailVerified } from '../accounts/verify-email.ts';
import type { App } from '../app.ts';
import { AppError, type Issue, invalidRequest } from '../lib/errors.ts';
import { together } from '../platform/db.ts';
import { principalOf, type Server } from '../platform/http.ts';
import { listWorkspaces } from '../workspaces/queries.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { refresh } from './refresh.ts';
import { register } from './register.ts';
import { resendVerification } from './resend-verification.ts';
import {
  acceptInviteBody,
  emailBody,
  meSchema,
  refreshTokenBody,
  registerBody,
  registered,
  sessionBody,
  sessionSchema,
  tokenBody,
} from './schema.ts';
import { signIn } from './sign-in.ts';

const tags = ['accounts'];
const nothing = Type.Object({});

export function authRoutes(server: Server, app: App): void {
  registrationRoutes(server, app);
  sessionRoutes(server, app);
  invitationRoutes(server, app);
  meRoutes(server, app);
}

function registrationRoutes(server: Server, app: App): void {
  server.post(
    '/v1/auth/register',
    {
      config: { public: true, errors: ['auth.registration_closed', 'auth.email_taken'] },
      schema: {
        operationId: 'register',
        summary: 'Make an account and its first workspace',
        tags,
        body: registerBody,
        response: { 201: registered },
      },
    },
    async (request, reply) => reply.code(201).send(await register(app, request.body)),
  );

  server.post(
    '/v1/auth/verify-email',
    {
      config: { public: true, errors: ['auth.link_expired'] },
      schema: {
        operationId: 'verifyEmail',
        summary: 'Verify an address with the token that was mailed to it',
        tags,
        body: tokenBody,
        response: { 200: nothing },
      },
    },
    async (request) => {
      await app.db.tx(async (tx) => {
        const userId = await spendVerificationToken(tx, request.body.token);
        if (userId === undefined) throw new AppError('auth.link_expired');
        await markEmailVerified(tx, userId);
      });
      return {};
    },
  );

  server.post(
    '/v1/auth/resend-verification',
    {
      config: { public: true },
      schema: {
        operationId: 'resendVerification',
        summary: 'Mail a new verification link',
        description: 'Answers the same for every address. One mail a minute an address.',
        tags,
        body: emailBody,
        response: { 200: nothing },
      },
    },
    async (request) => {
      await app.db.tx((tx) => resendVerification(tx, request.body.email));
      return {};
    },
  );
}

function sessionRoutes(server: Server, app: App): void {
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

function invitationRoutes(server: Server, app: App): void {
  server.post(
    '/v1/auth/accept-invite',
    {
      config: {
        public: true,
        errors: ['auth.invalid_credentials', 'invite.address_mismatch', 'invite.already_member', 'auth.link_expired'],
      },
      schema: {
        operationId: 'acceptInvite',
        summary: 'Accept an invitation, and sign in',
        description: 'Makes the account, verified, where there is none; an existing one gives its own password.',
        tags,
        body: acceptInviteBody,
        response: { 200: sessionSchema },
      },
    },
    (request) => acceptInvitation(app, { ...request.body, client: clientOf(request) }),
  );
}

function meRoutes(server: Server, { db }: App): void {
  server.get(
    '/v1/me',
    {
      config: { signedIn: true },
      schema: {
        operationId: 'readMe',
        summary: 'Who you are, and your workspaces',
        tags,
        response: { 200: meSchema },
      },
    },
    async (request) => {
      const { userId } = principalOf(request);
      const [user, workspaces] = await together([getUser(db, userId), listWorkspaces(db, userId)]);
      return { user, workspaces };
    },
  );
}

function clientOf(request: FastifyRequest): Client {
  return { ip: request.ip, userAgent: request.headers['user-agent'] ?? null };
}

function missingOf(fields: Record<string, unknown>): Issue[] {
  return Object.entries(fields)
    .filter(([, value]) => value === undefined)
    .map(([name]) => ({ path: `body.${name}`, message: 'is required' }));
}
