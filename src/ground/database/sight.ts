import type { Actor } from '../catalog/actor.ts';
import { everything, type Sight } from '../catalog/scope.ts';
import { type Sql, sql } from './sql.ts';

/** The one place that decides what members see. */

export type SightRules = {
  /** What a member sees. */
  sightOf(member: Pick<Actor, 'workspaceId' | 'userId' | 'role'>): Sight;
  /** Whether a sight shows the ticket of the row `ticket`: a condition on its columns alone, which is never null. */
  isSeen(sight: Sight, ticket: Sql): Sql;
};

/** Today each member sees every ticket. */
let rules: SightRules = { sightOf: () => everything, isSeen: () => sql`true` };

export const sightOf: SightRules['sightOf'] = (member) => rules.sightOf(member);
export const isSeen: SightRules['isSeen'] = (sight, ticket) => rules.isSeen(sight, ticket);

/**
 * Replaces the rules. Only `test/walks/hidden-tickets.test.ts` does: it hides tickets, and looks for them on every
 * route.
 * @returns puts the former rules back
 */
export function replaceSightRules(others: SightRules): () => void {
  const former = rules;
  rules = others;
  return () => {
    rules = former;
  };
}
