import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { clientOf } from '../client.ts';
import { emailBody, passwordSet, registerBody, registered, verifyEmailBody } from '../schema.ts';
import { register } from './register.ts';
import { resendVerification } from './resend-verification.ts';
import { verifyAddress } from './verify-address.ts';

const tags = ['accounts'];
const nothing = Type.Object({});

export function registrationRoutes(server: Server, app: App): void {
  server.post(
    '/v1/auth/register',
    {
      config: { public: true, errors: ['auth.registration_closed', 'auth.email_taken'] },
      schema: {
        operationId: 'register',
        summary: 'Create an account and its first workspace',
        tags,
        body: registerBody,
        response: { 201: registered },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await register(app, { ...request.body, language: clientOf(request).language })),
  );

  server.post(
    '/v1/auth/verify-email',
    {
      config: { public: true, errors: ['auth.link_expired'] },
      schema: {
        operationId: 'verifyEmail',
        summary: 'Verify an address with the token that was mailed to it',
        description:
          'The first verification removes the sessions, identities, second factor and API keys that the account had ' +
          'before, because their maker had not proven to own the address. ' +
          'With `password`, this becomes the password, and no earlier way to sign in works. ' +
          'A page should ask for it: otherwise the password keeps working with which somebody, perhaps a stranger, ' +
          'registered the address.',
        tags,
        body: verifyEmailBody,
        response: { 200: passwordSet },
      },
    },
    (request) => verifyAddress(app, request.body),
  );

  server.post(
    '/v1/auth/resend-verification',
    {
      config: { public: true },
      schema: {
        operationId: 'resendVerification',
        summary: 'Mail a new verification link',
        description: 'Answers the same for every address. Sends at most one mail a minute to an address.',
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
