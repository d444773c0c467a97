import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { principalOf, type Server } from '../../../ground/http/http.ts';
import { uuid } from '../../../ground/http/schema.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { listOwnIdentities } from '../../accounts/identities/own-identities.ts';
import { ownIdentitySchema } from '../../accounts/schema.ts';
import { linkIdentityBodyOf, ownPasswordBody } from '../schema.ts';
import { linkOwnIdentity, unlinkOwnIdentity } from './change-identities.ts';

const identities = '/v1/me/identities';
const tags = ['accounts'];
const aboutPassword = 'An account without a password omits it and must have signed in within the last 10 minutes.';

export function identityRoutes(server: Server, app: App): void {
  server.get(
    identities,
    {
      config: { signedIn: true },
      schema: {
        operationId: 'listOwnIdentities',
        summary: 'List the identity-provider accounts that you can sign in with',
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
        summary: 'Link an identity-provider account to sign in with',
        description: `Requires the provider's \`idToken\` and your password. ${aboutPassword} Returns all links.`,
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
        summary: 'Unlink an identity-provider account',
        description: `${aboutPassword} Without any way to sign in left, set a password with "forgot password".`,
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
