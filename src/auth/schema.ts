import { Type } from 'typebox';
import { newPassword, userSchema } from '../accounts/schema.ts';
import { emailAddress, nullable, oneOf, optionalText, uuid } from '../platform/schema.ts';
import { workspaceSchema } from '../workspaces/schema.ts';

/** The external providers' places, and the names that they are configured under. */
const providers = ['local', 'oauth_a', 'oauth_b', 'google', 'microsoft'] as const;

const token = Type.String({ minLength: 1, maxLength: 500 });
/** Any password may be tried: one that breaks the rules is just wrong. */
const triedPassword = Type.String({ minLength: 1, maxLength: 256 });
const name = optionalText(200);

export const registerBody = Type.Object({
  email: emailAddress,
  password: newPassword,
  name,
  workspaceName: optionalText(100),
});

export const registered = Type.Object({
  message: Type.Optional(
    Type.String({ description: 'Where addresses are verified: the same whether or not this one was taken.' }),
  ),
  userId: Type.Optional(uuid),
});

export const sessionBody = Type.Object({
  provider: oneOf(providers),
  email: Type.Optional(emailAddress),
  password: Type.Optional(triedPassword),
  idToken: Type.Optional(Type.String({ maxLength: 20_000 })),
  workspaceId: Type.Optional(uuid),
});

export const sessionSchema = Type.Object({
  accessToken: Type.String({ description: 'A JWT.' }),
  expiresIn: Type.Integer({ description: 'Seconds.' }),
  refreshToken: Type.String(),
  user: userSchema,
  workspace: nullable(workspaceSchema),
  workspaces: Type.Array(workspaceSchema),
});
export type Session = Type.Static<typeof sessionSchema>;

export const tokenBody = Type.Object({ token });
export const refreshTokenBody = Type.Object({ refreshToken: token });
export const emailBody = Type.Object({ email: emailAddress });
export const acceptInviteBody = Type.Object({ token, email: emailAddress, password: newPassword, name });

export const meSchema = Type.Object({ user: userSchema, workspaces: Type.Array(workspaceSchema) });
