import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Live } from '../../ground/database/live.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { putTeamMember, removeTeamMember } from './change-membership.ts';
import { createTeam, deleteTeam, updateTeam } from './change-team.ts';
import { getTeam, listTeams } from './queries.ts';
import {
  createTeamBody,
  putTeamMemberBody,
  teamMemberParams,
  teamParams,
  teamSchema,
  teamWithMembersSchema,
  updateTeamBody,
} from './schema.ts';

const workspace = inWorkspace('teams');

export function teamRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  changeRoutes(server, app);
  membershipRoutes(server, app);
}

function readRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/teams', {
    id: 'listTeams',
    summary: 'List the teams of a workspace by their place',
    description: 'The archived ones too. All members see which teams there are.',
    can: 'member.read',
    answers: { 200: Type.Array(teamSchema) },
    handler: ({ actor }) => listTeams(db, actor),
  });

  workspace.get(server, '/teams/:teamId', {
    id: 'readTeam',
    summary: 'Read a team with its members',
    can: 'member.read',
    errors: ['team.not_found'],
    params: teamParams,
    answers: { 200: teamWithMembersSchema },
    handler: ({ actor, params }) => getTeam(db, actor, params.teamId),
  });
}

function changeRoutes(server: Server, { live }: App): void {
  workspace.post(server, '/teams', {
    id: 'createTeam',
    summary: 'Make a team',
    can: 'team.manage',
    errors: ['team.name_taken', 'team.too_many', 'team.too_many_restricted'],
    body: createTeamBody,
    answers: { 201: teamWithMembersSchema },
    inTx: (tx, { actor, body }) => createTeam(tx, actor, body),
    afterwards: ({ actor }) => tellOfTeams(live, actor),
  });

  workspace.patch(server, '/teams/:teamId', {
    id: 'updateTeam',
    summary: 'Change the name, visibility or place of a team, or archive it',
    can: 'team.manage',
    errors: ['team.not_found', 'team.name_taken', 'team.in_use', 'in_use', 'team.too_many_restricted'],
    params: teamParams,
    body: updateTeamBody,
    answers: { 200: teamWithMembersSchema },
    inTx: (tx, { actor, params, body }) => updateTeam(tx, actor, { ...body, teamId: params.teamId }),
    afterwards: ({ actor }) => tellOfTeams(live, actor),
  });

  workspace.delete(server, '/teams/:teamId', {
    id: 'deleteTeam',
    summary: 'Delete a team without tickets and mailboxes',
    description: 'Archive a team that has tickets.',
    can: 'team.manage',
    errors: ['team.not_found', 'team.in_use', 'in_use'],
    params: teamParams,
    answers: { 204: Type.Null({ description: 'The team is deleted.' }) },
    inTx: (tx, { actor, params }) => deleteTeam(tx, actor, params.teamId),
    afterwards: ({ actor }) => tellOfTeams(live, actor),
  });
}

function membershipRoutes(server: Server, { live }: App): void {
  workspace.put(server, '/teams/:teamId/members/:userId', {
    id: 'putTeamMember',
    summary: 'Put a member into a team, or let them lead it',
    can: 'team.manage',
    errors: ['team.not_found', 'member.not_found', 'team.too_many_members'],
    params: teamMemberParams,
    body: putTeamMemberBody,
    answers: { 200: teamWithMembersSchema },
    inTx: (tx, { actor, params, body }) => putTeamMember(tx, actor, { ...body, ...params }),
    afterwards: ({ actor }) => tellOfTeams(live, actor),
  });

  workspace.delete(server, '/teams/:teamId/members/:userId', {
    id: 'removeTeamMember',
    summary: 'Take a member out of a team',
    description: 'From the answer on they no longer see what only the team sees.',
    can: 'team.manage',
    errors: ['team.not_found', 'member.not_found'],
    params: teamMemberParams,
    answers: { 204: Type.Null({ description: 'The member is out of the team.' }) },
    inTx: (tx, { actor, params }) => removeTeamMember(tx, actor, params),
    afterwards: ({ actor }) => tellOfTeams(live, actor),
  });
}

/** Everybody may see other tickets now. */
function tellOfTeams(live: Live, { workspaceId }: Actor): void {
  live.signal({ workspaceId, userId: null, event: 'team', data: {} });
}
