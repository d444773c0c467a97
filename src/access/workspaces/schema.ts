import { Type } from 'typebox';
import { roles } from '../../ground/catalog/permissions.ts';
import { tagColours } from '../../ground/catalog/tag-colours.ts';
import { answerAssigns, answerStatuses } from '../../ground/catalog/when-answered.ts';
import { emailAddress, ids, nullable, oneOf, timestamp, trimmedText, uuid } from '../../ground/http/schema.ts';

const role = oneOf(roles);
const access = oneOf(['all', 'teams'], {
  description:
    'With `teams` a member sees only tickets of their teams, and what they have or follow. Owners see all tickets.',
});

/** A workspace as one of its members sees it. */
export const workspaceSchema = Type.Object({ id: ids.workspace, name: Type.String(), role });
export type Workspace = Type.Static<typeof workspaceSchema>;

export const whenAnsweredSchema = Type.Object(
  { assign: oneOf(answerAssigns), status: oneOf(answerStatuses) },
  {
    description:
      'What an answer to the requester does with its ticket. `assign`: to the member who answers, if nobody has the ' +
      'ticket (`unassigned`), or in any case. `status`: the status of the ticket from then on, unless it is closed.',
  },
);

const tagColour = Type.Object({ tag: Type.String(), colour: oneOf(tagColours) });
export type TagColour = Type.Static<typeof tagColour>;

/** A workspace with the settings that its admins decide. */
export const workspaceWithSettingsSchema = Type.Object({
  ...workspaceSchema.properties,
  requireSecondFactor: Type.Boolean({
    description: 'Members need a session with a second factor. API keys do not.',
  }),
  hasAnswered: Type.Boolean({ description: 'An answer was sent at least once.' }),
  ownAddresses: Type.Array(Type.String(), {
    description:
      'Further addresses at which the workspace gets its mail, beside its inbound address and its mailboxes. ' +
      'Answers never go to them.',
  }),
  whenAnswered: nullable(whenAnsweredSchema),
  tagColours: Type.Array(tagColour, { description: 'Tags that have a colour. A tag of a ticket may differ in case.' }),
});
export type WorkspaceWithSettings = Type.Static<typeof workspaceWithSettingsSchema>;

export const ownAddressesMax = 100;

const workspaceName = trimmedText(1, 100);
export const createWorkspaceBody = Type.Object({ name: workspaceName });
export const updateWorkspaceBody = Type.Object({
  name: Type.Optional(workspaceName),
  requireSecondFactor: Type.Optional(Type.Boolean()),
  ownAddresses: Type.Optional(
    Type.Array(emailAddress, { maxItems: ownAddressesMax, description: 'Replaces the whole list.' }),
  ),
  whenAnswered: Type.Optional(whenAnsweredSchema),
});

export const memberSchema = Type.Object({
  userId: ids.user,
  email: Type.String(),
  name: nullable(Type.String()),
  role,
  access,
  createdAt: timestamp,
  lastSeenAt: Type.Optional(
    nullable({
      ...timestamp,
      description: 'When a session of the account was last used, to 5 minutes. Null: not within 30 days.',
    }),
  ),
  hasSecondFactor: Type.Optional(Type.Boolean()),
});
export type Member = Type.Static<typeof memberSchema>;

export const memberParams = Type.Object({ workspaceId: ids.workspace, userId: ids.user });
export const changeMemberBody = Type.Object({ role: Type.Optional(role), access: Type.Optional(access) });

export const inviteSchema = Type.Object({
  id: uuid,
  email: Type.String(),
  role,
  access,
  invitedBy: ids.user,
  createdAt: timestamp,
  expiresAt: timestamp,
});
export type Invite = Type.Static<typeof inviteSchema>;

export const sentInviteSchema = Type.Object({
  ...inviteSchema.properties,
  link: Type.Optional(
    Type.String({
      description:
        'Give it to the invited person yourself. Present only while the service sends no mail and addresses need no ' +
        'verification. It proves no address.',
    }),
  ),
});
export type SentInvite = Type.Static<typeof sentInviteSchema>;

export const inviteParams = Type.Object({ workspaceId: ids.workspace, inviteId: uuid });
export const inviteMemberBody = Type.Object({ email: emailAddress, role, access: Type.Optional(access) });

const teamIds = nullable(
  Type.Array(ids.team, {
    minItems: 1,
    maxItems: 200,
    description: 'Shows the key only tickets of these teams that you see. Null: all that you see.',
  }),
);

export const apiKeySchema = Type.Object({
  id: uuid,
  name: Type.String(),
  role,
  teamIds,
  hint: Type.String({ description: 'The beginning and the ending of the secret.' }),
  createdBy: ids.user,
  createdAt: timestamp,
  lastUsedAt: nullable({ ...timestamp, description: 'To the minute.' }),
});
export type ApiKey = Type.Static<typeof apiKeySchema>;

export const createdKeySchema = Type.Object({
  id: uuid,
  name: Type.String(),
  role,
  teamIds,
  secret: Type.String({ description: 'Shown only once. Send it as `Authorization: Bearer <secret>`.' }),
  createdAt: timestamp,
});
export type CreatedKey = Type.Static<typeof createdKeySchema>;

export const apiKeyParams = Type.Object({ workspaceId: ids.workspace, apiKeyId: uuid });
const keyName = trimmedText(1, 100);
export const createKeyBody = Type.Object({ name: keyName, role, teamIds: Type.Optional(teamIds) });
export type CreateKey = Type.Static<typeof createKeyBody>;

export const updateKeyBody = Type.Object({ name: Type.Optional(keyName), teamIds: Type.Optional(teamIds) });
export type UpdateKey = Type.Static<typeof updateKeyBody>;

/** Pages of members, invites and API keys. The `Link` header has the cursor of the next page. */
export const pageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});
