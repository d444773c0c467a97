import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { principalOf, type Server } from '../../../ground/http/http.ts';
import { changeEmailBody, tokenBody } from '../schema.ts';
import { askForAddress, confirmAddress } from './change-address.ts';

const tags = ['accounts'];
const nothing = Type.Object({});

export function addressRoutes(server: Server, app: App): void {
  server.post(
    '/v1/me/email',
    {
      config: { signedIn: true, errors: ['auth.invalid_credentials'] },
      schema: {
        operationId: 'changeEmail',
        summary: 'Change your address, by a link mailed to the new address',
        description:
          'Requires your password. An account without a password must have signed in within the last 10 minutes. ' +
          'The address changes once the link is followed. Sends at most one mail a minute.',
        tags,
        body: changeEmailBody,
        response: { 200: nothing },
      },
    },
    async (request) => {
      await askForAddress(app, principalOf(request), { ...request.body, ip: request.ip });
      return {};
    },
  );

  server.post(
    '/v1/auth/confirm-email',
    {
      config: { public: true, errors: ['auth.link_expired', 'auth.email_taken'] },
      schema: {
        operationId: 'confirmEmail',
        summary: 'Confirm a new address with the token mailed to it',
        description:
          'The new address counts as verified. Sessions stay open. ' +
          'Links mailed to the old address stop working, and that address is notified of the change.',
        tags,
        body: tokenBody,
        response: { 200: nothing },
      },
    },
    async (request) => {
      await confirmAddress(app, request.body.token);
      return {};
    },
  );
}
