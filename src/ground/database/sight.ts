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

/** The column `isNarrow` of row `k` of `api_keys`: whether the key sees only the tickets of some teams. */
export const isNarrowKey = sql`(k.team_ids is not null) as "isNarrow"`;

type Seeing = { userId: UserId; hidden: Hidden; keyId?: string | null; isNarrow?: boolean };

/**
 * What a member sees, or an API key. It names the member and a narrow key, not their teams: each statement reads who is
 * in a team, and which teams a key has, now.
 */
export function sightOf({ userId, hidden, keyId, isNarrow = false }: Seeing): Sight {
  if (isNarrow) return `${hidden} ${userId} ${keyId}` as Sight;
  return hidden === 'nothing' ? everything : (`${hidden} ${userId}` as Sight);
}

/** Reads a sight that hides something. The key is null unless it sees less than its maker. */
export function partsOf(sight: Sight): { hidden: Hidden; userId: UserId; keyId: string | null } {
  const [hidden, userId, keyId = null] = sight.split(' ');
  return { hidden: hidden as Hidden, userId: userId as UserId, keyId };
}

/** Whether a sight hides nothing from its member. Their key may still see less. */
export function isOfAllSeeing(sight: Sight): boolean {
  return sight === everything || partsOf(sight).hidden === 'nothing';
}

/** Whether a sight is that of an API key which sees less than its maker. */
export function isNarrow(sight: Sight): boolean {
  return sight !== everything && partsOf(sight).keyId !== null;
}

/** What the maker of a narrow key sees; for all others, what they see. */
export function makersSight(sight: Sight): Sight {
  return isNarrow(sight) ? sightOf({ ...partsOf(sight), keyId: null }) : sight;
}
