import { Type } from 'typebox';
import { nullable, timestamp, uuid } from '../platform/schema.ts';

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
