import { everything, type Scope } from '../catalog/scope.ts';
import { nilId, type WorkspaceId } from '../lib/ids.ts';
import { isNarrow, makersSight, partsOf } from './sight.ts';
import { emptySql, Sql, sql } from './sql.ts';

/**
 * How a statement reads what a member follows and which teams they have: `each` looks for each hidden ticket whether
 * they follow it; `once` is for statements that walk many tickets; `shared` for those with many lists, which begin with
 * `withSight`.
 */
export type Reading = 'each' | 'once' | 'shared';

/** The condition that the scope shows the ticket of row `row`, such as `t`. Each read of tickets has it. */
export function visible(scope: Scope, row: string, reading: Reading = 'each'): Sql {
  return isSeen(scope, named(row), reading);
}

/** What `shared` conditions read. Planning it anew for each list would take longer than to count most of them. */
export function withSight({ workspaceId, sight }: Scope): Sql {
  const makers = makersSight(sight);
  if (makers === everything) return emptySql;
  const { hidden, userId } = partsOf(makers);
  return sql`
    with sight_teams as materialized (
      select ${hidden === 'others' ? teamsOf(workspaceId, userId) : teamsHiddenFrom(workspaceId, userId)} as ids
    ), sight_followed as materialized (
      select follower.ticket_id as id from ticket_followers follower
      where follower.workspace_id = ${workspaceId} and follower.user_id = ${userId}
    )`;
}

/**
 * The condition for rows that belong to a ticket: messages, files, events, drafts. `column` names the ticket, such as
 * `m.ticket_id`. A row that belongs to none is visible. While the scope shows everything, this costs nothing. Otherwise
 * it looks up the ticket by its key, so a statement that joins the ticket anyway says `visible` of that row instead.
 */
export function ofVisible(scope: Scope, column: string): Sql {
  if (scope.sight === everything) return always;
  return sql`not exists (
    select from tickets hidden
    where hidden.workspace_id = ${scope.workspaceId} and hidden.id = ${named(column)}
      and not ${isSeen(scope, named('hidden'))})`;
}

/**
 * The condition on the row `ticket`, which is never null: its team, its assignee, or its followers show it. PostgreSQL
 * reads the teams of the member once for each statement, and asks for a follower only where neither of the others
 * shows the ticket. A narrow key sees it only if it also belongs to a team of the key.
 */
function isSeen(scope: Scope, ticket: Sql, reading: Reading = 'each'): Sql {
  const { workspaceId, sight } = scope;
  if (sight === everything) return always;
  const { userId, keyId } = partsOf(sight);
  if (keyId !== null) {
    const maker = { workspaceId, sight: makersSight(sight) };
    return sql`(${isOfKey(scope, sql`${ticket}.team_id`)} and ${isSeen(maker, ticket, reading)})`;
  }
  const isFollowed = {
    each: sql`exists (
        select from ticket_followers follower
        where follower.workspace_id = ${workspaceId} and follower.ticket_id = ${ticket}.id
          and follower.user_id = ${userId})`,
    once: sql`${ticket}.id in (
        select follower.ticket_id from ticket_followers follower
        where follower.workspace_id = ${workspaceId} and follower.user_id = ${userId})`,
    shared: sql`${ticket}.id in (select id from sight_followed)`,
  }[reading];
  return sql`(${showsTeam(scope, sql`${ticket}.team_id`, reading)}
    or ${ticket}.assignee_id is not distinct from ${userId}::uuid or ${isFollowed})`;
}

/**
 * The id of a ticket that another row names, which may be null. Where the scope does not show that ticket, or it is
 * gone, the id is of zeros only: so the row still says that there was one.
 */
export function shownId(scope: Scope, ticketId: Sql): Sql {
  if (scope.sight === everything) return ticketId;
  return sql`case when ${ticketId} is not null then coalesce((
      select named.id from tickets named
      where named.workspace_id = ${scope.workspaceId} and named.id = ${ticketId} and ${isSeen(scope, named('named'))}
    ), ${nilId}::uuid) end`;
}

/** The condition that the scope shows the tickets of a team, or those without a team. It is never null. */
export function showsTeam(scope: Scope, teamId: Sql, reading: Reading = 'each'): Sql {
  const { workspaceId, sight } = scope;
  if (sight === everything) return always;
  const { hidden, userId, keyId } = partsOf(sight);
  if (keyId !== null)
    return sql`(${isOfKey(scope, teamId)} and ${showsTeam({ workspaceId, sight: makersSight(sight) }, teamId)})`;
  const shared = reading === 'shared' ? sql`(select ids from sight_teams)::uuid[]` : undefined;
  return hidden === 'others'
    ? sql`coalesce(${teamId} = any(${shared ?? teamsOf(workspaceId, userId)}), false)`
    : sql`coalesce(${teamId} <> all(${shared ?? teamsHiddenFrom(workspaceId, userId)}), true)`;
}

/** The condition that a team is one of those to which a narrow key is bound. It is never null, and else true. */
export function isOfKey({ workspaceId, sight }: Scope, teamId: Sql): Sql {
  if (!isNarrow(sight)) return always;
  return sql`coalesce(${teamId} = any(array(
    select unnest(k.team_ids) from api_keys k
    where k.workspace_id = ${workspaceId} and k.id = ${partsOf(sight).keyId})), false)`;
}

/** The ids of the teams of a member, as an array. */
export function teamsOf(workspaceId: WorkspaceId, userId: string): Sql {
  return sql`array(
    select own.team_id from team_members own where own.workspace_id = ${workspaceId} and own.user_id = ${userId})`;
}

function teamsHiddenFrom(workspaceId: WorkspaceId, userId: string): Sql {
  return sql`array(
    select team.id from teams team
    where team.workspace_id = ${workspaceId} and team.visibility = 'members'
      and ${isOutside(workspaceId, { teamId: sql`team.id`, userId: sql`${userId}` })})`;
}

/** The condition that a team hides its tickets from a user who neither has nor follows them. */
export function isHiddenBy(workspaceId: WorkspaceId, { teamId, userId }: { teamId: Sql; userId: Sql }): Sql {
  return sql`exists (
    select from teams team
    where team.workspace_id = ${workspaceId} and team.id = ${teamId} and team.visibility = 'members'
      and ${isOutside(workspaceId, { teamId: sql`team.id`, userId })}
      and not exists (
        select from members boss
        where boss.workspace_id = ${workspaceId} and boss.user_id = ${userId} and boss.role = 'owner'))`;
}

/** The condition that a ticket is hidden from a member of row `member`. It serves statements about many members. */
export function isHiddenFrom(workspaceId: WorkspaceId, ticket: Sql, member: Sql): Sql {
  return sql`(${member}.role <> 'owner' and ${ticket}.assignee_id is distinct from ${member}.user_id
    and case when ${member}.access = 'teams'
      then ${ticket}.team_id is null
        or ${isOutside(workspaceId, { teamId: sql`${ticket}.team_id`, userId: sql`${member}.user_id` })}
      else ${isHiddenBy(workspaceId, { teamId: sql`${ticket}.team_id`, userId: sql`${member}.user_id` })}
    end
    and not exists (
      select from ticket_followers follower
      where follower.workspace_id = ${workspaceId} and follower.ticket_id = ${ticket}.id
        and follower.user_id = ${member}.user_id))`;
}

/** The condition that a user sees only the tickets of their teams, of which this is none. Tickets may have no team. */
export function isBeyondAccess(workspaceId: WorkspaceId, { teamId, userId }: { teamId: Sql; userId: Sql }): Sql {
  return sql`exists (
    select from members bound
    where bound.workspace_id = ${workspaceId} and bound.user_id = ${userId} and bound.access = 'teams'
      and bound.role <> 'owner' and ${isOutside(workspaceId, { teamId, userId })})`;
}

function isOutside(workspaceId: WorkspaceId, { teamId, userId }: { teamId: Sql; userId: Sql }): Sql {
  return sql`not exists (
    select from team_members inside
    where inside.workspace_id = ${workspaceId} and inside.team_id = ${teamId} and inside.user_id = ${userId})`;
}

const always = sql`true`;
const names = new Map<string, Sql>();

/** Returns the same part each time, because `toText` recognises a text by the identity of its strings. */
function named(name: string): Sql {
  let part = names.get(name);
  if (part === undefined) {
    part = new Sql([name], []);
    names.set(name, part);
  }
  return part;
}
