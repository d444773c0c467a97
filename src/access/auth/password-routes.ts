import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { principalOf, type Server } from '../../ground/http/http.ts';
import { forgotPassword } from './forgot-password.ts';
import { changePassword } from './own-account/change-password.ts';
import { resetPassword } from './reset-password.ts';
import { changePasswordBody, emailBody, passwordSet, resetPasswordBody } from './schema.ts';

const tags = ['accounts'];

export function passwordRoutes(server: Server, app: App): void {
  server.post(
    '/v1/auth/forgot-password',
    {
      config: { public: true },
      schema: {
        operationId: 'forgotPassword',
        summary: 'Mail a link to set a new password',
        description: 'Answers the same for every address. Sends at most one mail a minute to an address.',
        tags,
        body: emailBody,
        response: { 200: Type.Object({}) },
      },
    },
    async (request) => {
      await app.db.tx((tx) => forgotPassword(tx, request.body.email));
      return {};
    },
  );

  server.post(
    '/v1/auth/reset-password',
    {
      config: { public: true, errors: ['auth.link_expired'] },
      schema: {
        operationId: 'resetPassword',
        summary: 'Set a new password with the mailed token',
        description:
          'Ends all sessions. Also removes your API keys and identities, unless `keepsAccess` is true. ' +
          'Marks the address as verified.',
        tags,
        body: resetPasswordBody,
        response: { 200: passwordSet },
      },
    },
    (request) => resetPassword(app, request.body),
  );

  server.post(
    '/v1/me/password',
    {
      config: { signedIn: true, errors: ['auth.invalid_credentials'] },
      schema: {
        operationId: 'changePassword',
        summary: 'Change your password',
        description: 'Ends your other sessions. An account without a password must reset it by a mailed link.',
        tags,
        body: changePasswordBody,
        response: { 200: passwordSet },
      },
    },
    (request) => changePassword(app, principalOf(request), { ...request.body, ip: request.ip }),
  );
}
