import { Type } from 'typebox';
import { emailAddress, ids, nullable, oneOf, optionalText, trimmedText } from '../../ground/http/schema.ts';
import type { IdentityProvider } from '../../ground/settings/identity-settings.ts';
import { newPassword, passwordStrengthSchema, userSchema } from '../accounts/schema.ts';
import { workspaceSchema } from '../workspaces/schema.ts';

const token = Type.String({ minLength: 1, maxLength: 500 });
const code = Type.String({ minLength: 1, maxLength: 64, description: 'A code of the app, or a recovery code.' });
/** A sign-in accepts any text as password: a password that breaks the rules is simply wrong. */
const triedPassword = Type.String({ minLength: 1, maxLength: 256 });
/** Entra's tokens with 200 groups have 11,000 characters. The whole body still fits the limit of `auth/routes.ts`. */
const identityToken = Type.String({ maxLength: 15_000, 'x-empty': 'absent', description: 'The provider’s token.' });
const nonce = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'The nonce of the sign-in at the provider. The token must contain the same nonce.',
});
const name = optionalText(200);
const transport = Type.Optional(
  oneOf(['bearer', 'cookie'], {
    description:
      'With `cookie` the session is in a cookie that scripts cannot read, and the answer has no tokens. ' +
      'Only for pages of this service.',
  }),
);

export const registerBody = Type.Object({
  email: emailAddress,
  password: newPassword,
  name,
  workspaceName: optionalText(100),
});

export const registered = Type.Object({
  message: Type.Optional(
    Type.String({ description: 'With verification on. The same whether or not the address was taken.' }),
  ),
  userId: Type.Optional(ids.user),
  passwordStrength: Type.Optional(passwordStrengthSchema),
});

/** @param providers clients may name each by its place or by its configured name */
export function sessionBodyOf(providers: readonly IdentityProvider[]) {
  return Type.Object({
    provider: oneOf(['local', ...namesOf(providers)]),
    email: Type.Optional(emailAddress),
    password: Type.Optional(triedPassword),
    idToken: Type.Optional(identityToken),
    nonce: Type.Optional(nonce),
    workspaceId: Type.Optional(ids.workspace),
    challenge: Type.Optional(token),
    code: Type.Optional(code),
    transport,
  });
}

export const sessionSchema = Type.Object({
  accessToken: Type.String({ description: 'A JWT.' }),
  expiresIn: Type.Integer({ description: 'Seconds.' }),
  refreshToken: Type.String(),
  user: userSchema,
  workspace: nullable(workspaceSchema),
  workspaces: Type.Array(workspaceSchema),
});
export type Session = Type.Static<typeof sessionSchema>;

/** A session as the client gets it: without tokens when a cookie carries the session. */
export const openedSessionSchema = Type.Object({
  ...Type.Partial(Type.Pick(sessionSchema, ['accessToken', 'expiresIn', 'refreshToken'])).properties,
  ...Type.Omit(sessionSchema, ['accessToken', 'expiresIn', 'refreshToken']).properties,
});
export type OpenedSession = Type.Static<typeof openedSessionSchema>;

export const tokenBody = Type.Object({ token });
export const verifyEmailBody = Type.Object({
  token,
  password: Type.Optional(newPassword),
  dropsPassword: Type.Optional(
    Type.Boolean({
      description: 'True: removes the password of the account. For people who sign in with an identity provider.',
    }),
  ),
});
export const refreshTokenBody = Type.Object({ refreshToken: token });
export const emailBody = Type.Object({ email: emailAddress });
export const logoutBody = Type.Object({ refreshToken: Type.Optional(token) });
export const shownInviteSchema = Type.Object({
  email: Type.String({ description: 'The address that the invitation is for.' }),
  workspaceName: Type.String(),
  inviter: Type.String({ description: 'The name of the person who invites, else their address.' }),
});

export const acceptInviteBody = Type.Object({ token, email: emailAddress, password: newPassword, name, transport });

export const updateMeBody = Type.Object({ name: Type.Union([trimmedText(0, 200), Type.Null()]) });

export const meSchema = Type.Object({ user: userSchema, workspaces: Type.Array(workspaceSchema) });

export const resetPasswordBody = Type.Object({
  token,
  password: newPassword,
  keepsAccess: Type.Optional(
    Type.Boolean({ description: 'True: your API keys and identities stay. False by default: they are removed.' }),
  ),
});
export const changePasswordBody = Type.Object({ currentPassword: triedPassword, newPassword });
const passwordStrength = Type.Optional(passwordStrengthSchema);
export const passwordSet = Type.Object({ passwordStrength });

const ownPassword = Type.Optional(triedPassword);
export const changeEmailBody = Type.Object({ email: emailAddress, password: ownPassword });
export const ownPasswordBody = Type.Object({ password: ownPassword });

export function linkIdentityBodyOf(providers: readonly IdentityProvider[]) {
  return Type.Object({
    provider: oneOf([...namesOf(providers)]),
    idToken: identityToken,
    nonce: Type.Optional(nonce),
    password: ownPassword,
  });
}

function namesOf(providers: readonly IdentityProvider[]): Set<string> {
  return new Set([...providers.map(({ place }) => place), ...providers.map(({ name }) => name)]);
}

export const codeBody = Type.Object({ code });
export const ownProofBody = Type.Object({ password: ownPassword, code });
export const enrolmentSchema = Type.Object({
  secret: Type.String({ description: 'Base32.' }),
  otpauthUri: Type.String(),
});
export const recoveryCodesSchema = Type.Object({ recoveryCodes: Type.Array(Type.String()) });
