import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { principalOf, type Server } from '../../http/http.ts';
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
        summary: 'Change your address, by a link that is mailed to the new one',
        description:
          'Takes your password; an account without one must have signed in within the last ten minutes. The address changes once the link was followed. One mail a minute.',
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
        summary: 'Take the new address, with the token that was mailed to it',
        description:
          'The address counts as verified. Sessions go on, links that were mailed to the old address do not work any more, and it is told of the change.',
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
