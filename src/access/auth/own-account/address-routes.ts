import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { forEveryone, forSignedIn } from '../../../ground/http/operation.ts';
import { changeEmailBody, tokenBody } from '../schema.ts';
import { askForAddress, confirmAddress } from './change-address.ts';

const signedIn = forSignedIn('accounts');
const everyone = forEveryone('accounts');
const nothing = Type.Object({});

export function addressRoutes(server: Server, app: App): void {
  signedIn.post(server, '/v1/me/email', {
    id: 'changeEmail',
    summary: 'Change your address, by a link mailed to the new address',
    description:
      'Requires your password. An account without a password must have signed in within the last 10 minutes. ' +
      'The address changes once the link is followed. Sends at most one mail a minute.',
    errors: ['auth.invalid_credentials'],
    body: changeEmailBody,
    answers: { 200: nothing },
    handler: async ({ principal, body, ip }) => {
      await askForAddress(app, principal, { ...body, ip: ip });
      return {};
    },
  });

  everyone.post(server, '/v1/auth/confirm-email', {
    id: 'confirmEmail',
    summary: 'Confirm a new address with the token mailed to it',
    description:
      'The new address counts as verified. Sessions stay open. ' +
      'Links mailed to the old address stop working, and that address is notified of the change.',
    errors: ['auth.link_expired', 'auth.email_taken'],
    body: tokenBody,
    answers: { 200: nothing },
    handler: async ({ body }) => {
      await confirmAddress(app, body.token);
      return {};
    },
  });
}
