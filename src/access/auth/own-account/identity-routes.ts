import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { forSignedIn } from '../../../ground/http/operation.ts';
import { uuid } from '../../../ground/http/schema.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { listOwnIdentities } from '../../accounts/identities/own-identities.ts';
import { ownIdentitySchema } from '../../accounts/schema.ts';
import { linkIdentityBodyOf, ownPasswordBody } from '../schema.ts';
import { linkOwnIdentity, unlinkOwnIdentity } from './change-identities.ts';

const signedIn = forSignedIn('accounts');
const aboutPassword = 'An account without a password omits it and must have signed in within the last 10 minutes.';

export function identityRoutes(server: Server, app: App): void {
  signedIn.get(server, '/v1/me/identities', {
    id: 'listOwnIdentities',
    summary: 'List the identity-provider accounts that you can sign in with',
    answers: { 200: Type.Array(ownIdentitySchema) },
    handler: ({ principal }) => listOwnIdentities(app.db, principal.userId),
  });

  signedIn.post(server, '/v1/me/identities', {
    id: 'linkIdentity',
    summary: 'Link an identity-provider account to sign in with',
    description: `Requires the provider's \`idToken\` and your password. ${aboutPassword} Returns all links.`,
    errors: [
      'auth.provider_not_configured',
      'auth.invalid_credentials',
      'auth.identity_token_invalid',
      'auth.identity_taken',
    ],
    body: linkIdentityBodyOf(app.config.identityProviders),
    answers: { 200: Type.Array(ownIdentitySchema) },
    handler: ({ principal, body, ip }) => {
      const { provider, idToken, nonce, password } = body;
      if (!app.identities.isOpen(provider)) throw new AppError('auth.provider_not_configured');
      return linkOwnIdentity(app, principal, { provider, idToken, nonce, password, ip: ip });
    },
  });

  signedIn.delete(server, '/v1/me/identities/:identityId', {
    id: 'unlinkIdentity',
    summary: 'Unlink an identity-provider account',
    description: `${aboutPassword} Without any way to sign in left, set a password with "forgot password".`,
    errors: ['auth.invalid_credentials', 'identity.not_found'],
    params: Type.Object({ identityId: uuid }),
    body: ownPasswordBody,
    answers: { 204: Type.Null() },
    handler: async ({ principal, params, body, ip }) => {
      const { identityId } = params;
      const { password } = body;
      await unlinkOwnIdentity(app, principal, { identityId, password, ip: ip });
    },
  });
}
