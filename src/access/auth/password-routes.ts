import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone, forSignedIn } from '../../ground/http/operation.ts';
import { forgotPassword } from './forgot-password.ts';
import { changePassword } from './own-account/change-password.ts';
import { resetPassword } from './reset-password.ts';
import { changePasswordBody, emailBody, passwordSet, resetPasswordBody } from './schema.ts';

const signedIn = forSignedIn('accounts');
const everyone = forEveryone('accounts');

export function passwordRoutes(server: Server, app: App): void {
  everyone.post(server, '/v1/auth/forgot-password', {
    id: 'forgotPassword',
    summary: 'Mail a link to set a new password',
    description: 'Answers the same for every address. Sends at most one mail a minute to an address.',
    body: emailBody,
    answers: { 200: Type.Object({}) },
    handler: async ({ body }) => {
      await app.db.tx((tx) => forgotPassword(tx, body.email));
      return {};
    },
  });

  everyone.post(server, '/v1/auth/reset-password', {
    id: 'resetPassword',
    summary: 'Set a new password with the mailed token',
    description:
      'Ends all sessions. Also removes your API keys and identities, unless `keepsAccess` is true. ' +
      'Marks the address as verified.',
    errors: ['auth.link_expired'],
    body: resetPasswordBody,
    answers: { 200: passwordSet },
    handler: ({ body }) => resetPassword(app, body),
  });

  signedIn.post(server, '/v1/me/password', {
    id: 'changePassword',
    summary: 'Change your password',
    description: 'Ends your other sessions. An account without a password must reset it by a mailed link.',
    errors: ['auth.invalid_credentials'],
    body: changePasswordBody,
    answers: { 200: passwordSet },
    handler: ({ principal, body, ip }) => changePassword(app, principal, { ...body, ip: ip }),
  });
}
