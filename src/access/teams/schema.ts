import { Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, trimmedText } from '../../ground/http/schema.ts';

export const teamsMax = 200;
export const teamMembersMax = 500;
export const teamNameMax = 100;
/** Each hides tickets from most members, so each is asked for at most statements. */
export const restrictedTeamsMax = 50;

const visibility = oneOf(['workspace', 'members'], {
  description:
    'Who sees its tickets: all members, or with `members` only those of the team, the assignee, followers and owners.',
});

/** A team as one member sees it. */
export const teamSchema = Type.Object({
  id: ids.team,
  name: Type.String(),
  visibility,
  position: Type.Integer({ description: 'Its place in lists, from 0 on.' }),
  memberCount: Type.Integer(),
  isMember: Type.Boolean({ description: 'Whether you are in the team.' }),
  archivedAt: nullable({
    ...timestamp,
    description: 'Since when the team takes no more tickets. Its tickets stay, and stay as visible as before.',
  }),
  createdAt: timestamp,
});
export type Team = Type.Static<typeof teamSchema>;

const teamMember = Type.Object({
  userId: ids.user,
  isLead: Type.Boolean({
    description: 'It gives no rights. Those who lead a team hear of admins who put themselves into it.',
  }),
});
export const teamWithMembersSchema = Type.Object({
  ...teamSchema.properties,
  members: Type.Array(teamMember, { description: 'The oldest account first.' }),
});
export type TeamWithMembers = Type.Static<typeof teamWithMembersSchema>;

export const teamParams = Type.Object({ workspaceId: ids.workspace, teamId: ids.team });
export const teamMemberParams = Type.Object({ workspaceId: ids.workspace, teamId: ids.team, userId: ids.user });

const name = trimmedText(1, teamNameMax);
export const createTeamBody = Type.Object({
  name,
  visibility: Type.Optional({ ...visibility, default: 'workspace' }),
  memberIds: Type.Optional(Type.Array(ids.user, { maxItems: teamMembersMax })),
});
export type CreateTeam = Type.Static<typeof createTeamBody>;

export const updateTeamBody = Type.Object({
  name: Type.Optional(name),
  visibility: Type.Optional(visibility),
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: teamsMax - 1, description: 'Moves the others.' })),
  archived: Type.Optional(Type.Boolean()),
});
export type UpdateTeam = Type.Static<typeof updateTeamBody>;

export const putTeamMemberBody = Type.Object({ isLead: Type.Optional(Type.Boolean({ default: false })) });
