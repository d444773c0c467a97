import { Type } from 'typebox';
import { nullable, timestamp, uuid } from '../http/schema.ts';

export const userSchema = Type.Object({
  id: uuid,
  email: Type.String(),
  name: nullable(Type.String()),
  emailVerifiedAt: nullable(timestamp),
  createdAt: timestamp,
});
export type User = Type.Static<typeof userSchema>;

/** A password that is to be set; its length counts untrimmed code points. */
export const newPassword = Type.String({ minLength: 8, maxLength: 256, description: 'Never trimmed.' });

export const secondFactorSchema = Type.Object({
  confirmedAt: nullable(timestamp),
  recoveryCodesLeft: Type.Integer({ description: 'How many of the recovery codes were not used yet.' }),
});
export type SecondFactor = Type.Static<typeof secondFactorSchema>;

export const passwordStrengthSchema = Type.Object(
  {
    score: Type.Integer({ minimum: 0, maximum: 4, description: '0: guessed at once; 4: very hard to guess.' }),
    warning: nullable(Type.String()),
    suggestions: Type.Array(Type.String()),
  },
  { description: 'Advice on the password that was set, in English; missing when there is none for now.' },
);
export type PasswordStrength = Type.Static<typeof passwordStrengthSchema>;

/** An identity as the owner of its account sees it. */
export const ownIdentitySchema = Type.Object({
  id: uuid,
  provider: Type.String({ description: '`oauth_a` or `oauth_b`.' }),
  issuer: Type.String(),
  linkedAt: timestamp,
});
export type OwnIdentity = Type.Static<typeof ownIdentitySchema>;

/** A session as its owner sees it. */
export const ownSessionSchema = Type.Object({
  id: uuid,
  userAgent: nullable(Type.String()),
  ip: nullable(Type.String()),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  isCurrent: Type.Boolean({ description: 'Whether it is the one that asks.' }),
});
export type OwnSession = Type.Static<typeof ownSessionSchema>;
