import { everything, type Sight } from '../catalog/scope.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';
import { type Sql, sql } from './sql.ts';

/** The one place that decides what is hidden from whom. `visible.ts` has what follows for the row of a ticket. */

/**
 * From a member, beside what they have or follow: `nothing`; the tickets of restricted teams that they are not in; or
 * all tickets but those of their own teams.
 */
export type Hidden = 'nothing' | 'restricted' | 'others';

/** The column `hidden` of row `m` of `members`. Whoever makes a sight reads it. */
export function hiddenFrom(workspaceId: WorkspaceId | null | Sql): Sql {
  return sql`case
      when m.role = 'owner' then 'nothing'
      when m.access = 'teams' then 'others'
      when exists (
        select from teams h
        where h.workspace_id = ${workspaceId} and h.visibility = 'members' and not exists (
          select from team_members o
          where o.workspace_id = ${workspaceId} and o.team_id = h.id and o.user_id = m.user_id
        )
      ) then 'restricted'
      else 'nothing'
    end as hidden`;
}

/** What a member sees. It names the member, not the teams: each statement reads who is in a team now. */
export function sightOf({ userId, hidden }: { userId: UserId; hidden: Hidden }): Sight {
  return hidden === 'nothing' ? everything : (`${hidden} ${userId}` as Sight);
}

/** Reads a sight that hides something. */
export function partsOf(sight: Sight): { hidden: Exclude<Hidden, 'nothing'>; userId: UserId } {
  const [hidden, userId] = sight.split(' ');
  return { hidden: hidden === 'others' ? 'others' : 'restricted', userId: userId as UserId };
}
