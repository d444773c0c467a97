import { Type } from 'typebox';
import { ids, nullable, timestamp, uuid } from '../../ground/http/schema.ts';

export const userSchema = Type.Object({
  id: ids.user,
  email: Type.String(),
  name: nullable(Type.String()),
  emailVerifiedAt: nullable(timestamp),
  createdAt: timestamp,
});
export type User = Type.Static<typeof userSchema>;

/** A password to set. Its length counts untrimmed code points. */
export const newPassword = Type.String({ minLength: 8, maxLength: 256, description: 'Never trimmed.' });

export const secondFactorSchema = Type.Object({
  confirmedAt: nullable(timestamp),
  recoveryCodesLeft: Type.Integer({ description: 'Number of unused recovery codes.' }),
});
export type SecondFactor = Type.Static<typeof secondFactorSchema>;

export const passwordStrengthSchema = Type.Object(
  {
    score: Type.Integer({ minimum: 0, maximum: 4, description: '0: trivial to guess; 4: very hard to guess.' }),
    warning: nullable(Type.String()),
    suggestions: Type.Array(Type.String()),
  },
  { description: 'Advice on the new password, in English. Missing when the judge is busy or unavailable.' },
);
export type PasswordStrength = Type.Static<typeof passwordStrengthSchema>;

/** An identity as its owner sees it. */
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
  isCurrent: Type.Boolean({ description: 'Whether this session sent the request.' }),
});
export type OwnSession = Type.Static<typeof ownSessionSchema>;
