import { Type } from 'typebox';
import { spendUserToken } from '../accounts/link-token.ts';
import { markEmailVerified } from '../accounts/verify-email.ts';
import type { App } from '../app.ts';
import { AppError } from '../lib/errors.ts';
import type { Server } from '../platform/http.ts';
import { register } from './register.ts';
import { resendVerification } from './resend-verification.ts';
import { emailBody, registerBody, registered, tokenBody } from './schema.ts';

const tags = ['accounts'];
const nothing = Type.Object({});

export function registrationRoutes(server: Server, app: App): void {
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
        const userId = await spendUserToken(tx, 'verify-email', request.body.token);
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
