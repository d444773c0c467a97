import { Type } from 'typebox';
import { oneOf } from '../../ground/http/schema.ts';
import { type NotificationType, notificationTypes } from './rules.ts';

const digest = oneOf(['off', 'at_once', 'hourly', 'daily']);

const inApp = Type.Boolean({ description: 'Whether to create notifications of this type at all.' });
const email = Type.Boolean({
  description: 'Whether digests include this type. Type `mailbox` is mailed at once.',
});

export function perType<Value>(make: (type: NotificationType) => Value): Record<NotificationType, Value> {
  // The cast holds: the list has every type.
  return Object.fromEntries(notificationTypes.map((type) => [type, make(type)])) as Record<NotificationType, Value>;
}

const ofType = Type.Object({ inApp, email });
export const preferencesSchema = Type.Object({ digest, types: Type.Object(perType(() => ofType)) });
export type Preferences = Type.Static<typeof preferencesSchema>;

const changeOfType = Type.Optional(Type.Object({ inApp: Type.Optional(inApp), email: Type.Optional(email) }));
export const changePreferencesBody = Type.Object({
  digest: Type.Optional(digest),
  types: Type.Optional(Type.Object(perType(() => changeOfType))),
});
export type PreferencesChange = Type.Static<typeof changePreferencesBody>;
