import { Type } from 'typebox';
import { nullable, oneOf, uuid } from '../../ground/http/schema.ts';
import { type GatheredType, gatheredTypes, type NotificationType, notificationTypes } from './rules.ts';

const digest = oneOf(['off', 'at_once', 'hourly', 'daily']);

const inApp = Type.Boolean({ description: 'Whether to create notifications of this type at all.' });
const email = Type.Boolean({
  description: 'Whether digests include this type. Types `mailbox` and `team` are mailed at once.',
});

const mailboxIds = nullable(
  Type.Array(uuid, {
    maxItems: 500,
    description: 'Only tickets of these mailboxes, in any of your workspaces. Null: all, and tickets of none too.',
  }),
);

/** One value for each type that gathers, and one for each other. */
function perKind<Gathered, Other>(gathered: Gathered, other: Other) {
  const plain = Object.fromEntries(notificationTypes.map((type) => [type, other]));
  const gathering = Object.fromEntries(gatheredTypes.map((type) => [type, gathered]));
  // The cast holds: the lists have every type.
  return { ...plain, ...gathering } as Record<Exclude<NotificationType, GatheredType>, Other> &
    Record<GatheredType, Gathered>;
}

const ofType = Type.Object({ inApp, email });
const ofGathered = Type.Object({ inApp, email, mailboxIds });
export const preferencesSchema = Type.Object({ digest, types: Type.Object(perKind(ofGathered, ofType)) });
export type Preferences = Type.Static<typeof preferencesSchema>;

const changed = { inApp: Type.Optional(inApp), email: Type.Optional(email) };
const changeOfType = Type.Optional(Type.Object(changed));
const changeOfGathered = Type.Optional(Type.Object({ ...changed, mailboxIds: Type.Optional(mailboxIds) }));
export const changePreferencesBody = Type.Object({
  digest: Type.Optional(digest),
  types: Type.Optional(Type.Object(perKind(changeOfGathered, changeOfType))),
});
export type PreferencesChange = Type.Static<typeof changePreferencesBody>;
