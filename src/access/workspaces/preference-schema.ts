import { Type } from 'typebox';
import { ids, nullable, oneOf } from '../../ground/http/schema.ts';

const themes = ['system', 'light', 'dark'] as const;
const densities = ['comfortable', 'compact'] as const;
const afterActions = ['next', 'stay', 'list'] as const;
const remoteImages = ['ask', 'always'] as const;

const key = Type.Object({
  command: Type.String({ minLength: 1, maxLength: 60 }),
  keys: Type.String({ maxLength: 40, description: 'Empty: no keys.' }),
});
const signatureHtml = Type.String({ maxLength: 20_000, 'x-trim': 'measured' });

const preferences = {
  theme: oneOf(themes),
  darkMail: Type.Boolean({ description: 'Whether mails that set colours follow the dark theme.' }),
  density: oneOf(densities),
  locale: nullable(Type.String({ maxLength: 35, description: 'BCP 47. Null: the browser’s.' })),
  timeZone: nullable(Type.String({ maxLength: 60, description: 'IANA. Null: the browser’s.' })),
  afterAction: oneOf(afterActions, { description: 'What to show after closing a ticket.' }),
  undoSendSeconds: Type.Integer({ minimum: 0, maximum: 60 }),
  singleKeys: Type.Boolean({ description: 'Whether single keys run commands.' }),
  keys: Type.Array(key, { maxItems: 200, description: 'Commands with custom keys.' }),
  remoteImages: oneOf(remoteImages),
};

export const ownPreferencesSchema = Type.Object({
  ...preferences,
  signatures: Type.Array(Type.Object({ workspaceId: ids.workspace, html: Type.String() }), {
    description: 'One for each workspace in which you have a signature.',
  }),
});
export type OwnPreferences = Type.Static<typeof ownPreferencesSchema>;

export const changeOwnPreferencesBody = Type.Partial(
  Type.Object({
    ...preferences,
    signatures: Type.Array(
      Type.Object({ workspaceId: ids.workspace, html: Type.Union([signatureHtml, Type.Null()]) }),
      {
        maxItems: 100,
        description: 'Changes only the signatures given here.',
      },
    ),
  }),
);
export type OwnPreferencesChange = Type.Static<typeof changeOwnPreferencesBody>;
