import { Type } from 'typebox';
import packageJson from '../../../package.json' with { type: 'json' };
import { hasAccounts } from '../../access/accounts/queries.ts';
import { isRegistrationOpen } from '../../access/workspaces/registration.ts';
import type { App } from '../../app.ts';
import { together } from '../../ground/database/db.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone } from '../../ground/http/operation.ts';
import { nullable, oneOf } from '../../ground/http/schema.ts';
import { mailboxCallbackPath } from '../../ground/settings/mailbox-settings.ts';
import { oauthTraits } from '../../mail/providers/registry.ts';

const everyone = forEveryone('accounts');

const configSchema = Type.Object({
  version: Type.String(),
  isFirstRun: Type.Boolean({ description: 'True until the first account exists.' }),
  registration: oneOf(['open', 'invite'], { description: '`open`: people can register without an invitation now.' }),
  isEmailVerificationRequired: Type.Boolean(),
  passwordMinScore: nullable(Type.Integer({ description: 'Minimum strength of a new password, 0 to 4.' })),
  attachmentBytesMax: Type.Integer(),
  importBytesMax: Type.Integer({ description: 'The limit for the files of one import together.' }),
  mail: oneOf(['smtp', 'outbox'], { description: 'With `outbox` no mail is sent: each mail becomes a file.' }),
  identityProviders: Type.Array(
    Type.Object({
      provider: oneOf(['oauth_a', 'oauth_b']),
      name: Type.String(),
      issuer: Type.String(),
      clientId: Type.String(),
      authorizeUrl: nullable(
        Type.String({ description: 'Address for the sign-in, with `response_type=id_token` and a nonce.' }),
      ),
    }),
    { description: 'The identity providers whose accounts can sign in here.' },
  ),
  mailboxProviders: Type.Array(
    Type.Object({
      provider: oneOf(oauthTraits.map(({ key }) => key)),
      name: Type.String(),
      isSetUp: Type.Boolean({ description: 'Whether mailboxes of this provider can be connected.' }),
      redirectUri: Type.String({ description: 'The redirect address to register with the provider.' }),
      notificationUrl: Type.String({ description: 'Where the provider, or its push service, notifies of new mail.' }),
    }),
    { description: 'The providers whose mailboxes can be connected by consent.' },
  ),
  demo: nullable(
    Type.Object(
      {
        people: Type.Array(Type.Object({ name: Type.String(), email: Type.String(), role: Type.String() })),
        password: Type.String(),
        customerPage: Type.String(),
      },
      {
        description: 'Only in `npm run demo`: people who can sign in, their password, and the page of their customer.',
      },
    ),
  ),
});

export function configRoutes(server: Server, { db, config }: App): void {
  const redirectUri = `${config.publicUrl}${mailboxCallbackPath}`;
  everyone.get(server, '/v1/config', {
    id: 'readConfig',
    summary: 'Read what a client needs before sign-in',
    answers: { 200: configSchema },
    handler: async () => {
      const [isOpen, isInUse] = await together([isRegistrationOpen(db, config), hasAccounts(db)]);
      return {
        version: packageJson.version,
        isFirstRun: !isInUse,
        registration: isOpen ? ('open' as const) : ('invite' as const),
        isEmailVerificationRequired: config.isEmailVerificationRequired,
        passwordMinScore: config.passwordMinScore ?? null,
        attachmentBytesMax: config.attachmentBytesMax,
        importBytesMax: config.importBytesMax,
        mail: config.mail.kind,
        identityProviders: config.identityProviders.flatMap(
          ({ place: provider, name, issuer, authorizeUrl = null, clientIds: [clientId] }) =>
            clientId === undefined ? [] : [{ provider, name, issuer, clientId, authorizeUrl }],
        ),
        mailboxProviders: oauthTraits.map(({ key: provider, product, name }) => ({
          provider,
          name: product,
          isSetUp: config[name].client !== undefined,
          redirectUri,
          notificationUrl: `${config.publicUrl}/v1/webhooks/${provider}`,
        })),
        demo: config.demo ?? null,
      };
    },
  });
}
