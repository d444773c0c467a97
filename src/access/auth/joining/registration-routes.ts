import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { forEveryone } from '../../../ground/http/operation.ts';
import { clientOf } from '../client.ts';
import { emailBody, passwordSet, registerBody, registered, verifyEmailBody } from '../schema.ts';
import { register } from './register.ts';
import { resendVerification } from './resend-verification.ts';
import { verifyAddress } from './verify-address.ts';

const everyone = forEveryone('accounts');
const nothing = Type.Object({});

export function registrationRoutes(server: Server, app: App): void {
  everyone.post(server, '/v1/auth/register', {
    id: 'register',
    summary: 'Create an account and its first workspace',
    errors: ['auth.registration_closed', 'auth.email_taken'],
    body: registerBody,
    answers: { 201: registered },
    handler: (request) => register(app, { ...request.body, language: clientOf(request).language }),
  });

  everyone.post(server, '/v1/auth/verify-email', {
    id: 'verifyEmail',
    summary: 'Verify an address with the token that was mailed to it',
    description:
      'The first verification removes the sessions, identities, second factor and API keys that the account had ' +
      'before, because their maker had not proven to own the address. ' +
      'With `password`, this becomes the password, and no earlier way to sign in works. ' +
      'A page should ask for it: otherwise the password keeps working with which somebody, perhaps a stranger, ' +
      'registered the address.',
    errors: ['auth.link_expired'],
    body: verifyEmailBody,
    answers: { 200: passwordSet },
    handler: ({ body }) => verifyAddress(app, body),
  });

  everyone.post(server, '/v1/auth/resend-verification', {
    id: 'resendVerification',
    summary: 'Mail a new verification link',
    description: 'Answers the same for every address. Sends at most one mail a minute to an address.',
    body: emailBody,
    answers: { 200: nothing },
    handler: async ({ body }) => {
      await app.db.tx((tx) => resendVerification(tx, body.email));
      return {};
    },
  });
}
