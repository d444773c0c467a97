import { Type } from 'typebox';
import { listOwnIdentities } from '../../accounts/identities/own-identities.ts';
import { ownIdentitySchema } from '../../accounts/schema.ts';
import type { App } from '../../app.ts';
import { principalOf, type Server } from '../../http/http.ts';
import { uuid } from '../../http/schema.ts';
import { AppError } from '../../lib/errors.ts';
import { linkIdentityBodyOf, ownPasswordBody } from '../schema.ts';
import { linkOwnIdentity, unlinkOwnIdentity } from './change-identities.ts';

const identities = '/v1/me/identities';
const tags = ['accounts'];
const aboutPassword = 'An account without a password leaves it out, within 10 minutes of its sign-in.';

export function identityRoutes(server: Server, app: App): void {
  server.get(
    identities,
    {
      config: { signedIn: true },
      schema: {
        operationId: 'listOwnIdentities',
        summary: 'The accounts elsewhere that sign you in',
        tags,
        response: { 200: Type.Array(ownIdentitySchema) },
      },
    },
    (request) => listOwnIdentities(app.db, principalOf(request).userId),
  );

  server.post(
    identities,
    {
      config: {
        signedIn: true,
        errors: [
          'auth.provider_not_configured',
          'auth.invalid_credentials',
          'auth.identity_token_invalid',
          'auth.identity_taken',
        ],
      },
      schema: {
        operationId: 'linkIdentity',
        summary: 'Sign in with an account elsewhere from now on',
        description: `Give the \`idToken\` of a sign-in there, and your password here. ${aboutPassword} Answers all of them.`,
        tags,
        body: linkIdentityBodyOf(app.config.identityProviders),
        response: { 200: Type.Array(ownIdentitySchema) },
      },
    },
    (request) => {
      const { provider, idToken, nonce, password } = request.body;
      if (!app.identities.isOpen(provider)) throw new AppError('auth.provider_not_configured');
      return linkOwnIdentity(app, principalOf(request), { provider, idToken, nonce, password, ip: request.ip });
    },
  );

  server.delete(
    `${identities}/:identityId`,
    {
      config: { signedIn: true, errors: ['auth.invalid_credentials', 'identity.not_found'] },
      schema: {
        operationId: 'unlinkIdentity',
        summary: 'No longer sign in with an account elsewhere',
        description: `${aboutPassword} Whoever has none left sets a password with "forgot password".`,
        tags,
        params: Type.Object({ identityId: uuid }),
        body: ownPasswordBody,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { identityId } = request.params;
      const { password } = request.body;
      await unlinkOwnIdentity(app, principalOf(request), { identityId, password, ip: request.ip });
      return reply.code(204).send(null);
    },
  );
}
