import { Type } from 'typebox';
import { userSchema } from '../../access/accounts/schema.ts';
import { teamSchema } from '../../access/teams/schema.ts';
import { ownPreferencesSchema } from '../../access/workspaces/preference-schema.ts';
import { memberSchema, workspaceSchema, workspaceWithSettingsSchema } from '../../access/workspaces/schema.ts';
import { type Permission, permissions } from '../../ground/catalog/permissions.ts';
import { oneOf } from '../../ground/http/schema.ts';
import { mailboxSchema } from '../../mail/mailboxes/schema.ts';
import { countsSchema, viewSchema } from '../views/schema.ts';

export const startSchema = Type.Object({
  position: Type.String({
    description:
      'A stream position up to 20 seconds before the rest was read. Send it as `lastEventId` to miss nothing.',
  }),
  user: userSchema,
  workspaces: Type.Array(workspaceSchema),
  workspace: workspaceWithSettingsSchema,
  permissions: Type.Array(oneOf(Object.keys(permissions) as Permission[])),
  preferences: ownPreferencesSchema,
  members: Type.Array(memberSchema, { description: 'At most 1,000, the oldest account first.' }),
  views: Type.Array(viewSchema),
  mailboxes: Type.Array(mailboxSchema),
  teams: Type.Array(teamSchema, { description: 'By their place, the archived ones too.' }),
  tags: Type.Array(Type.String(), {
    description: 'At most 200 tags of the newest thousand tickets, the most frequent first.',
  }),
  counts: countsSchema,
  unreadNotifications: Type.Integer(),
});
export type Start = Type.Static<typeof startSchema>;
