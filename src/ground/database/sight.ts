import type { Actor } from '../catalog/actor.ts';
import { everything, type Sight } from '../catalog/scope.ts';
import { type Sql, sql } from './sql.ts';

/**
 * The one place that decides what members see: today each sees every ticket. `test/walks/hidden-tickets.test.ts`
 * replaces this file by one that hides tickets, and looks for them on every route.
 */

/** What a member sees. */
export function sightOf(_member: Pick<Actor, 'workspaceId' | 'userId' | 'role'>): Sight {
  return everything;
}

/** Whether a sight shows the ticket of the row `ticket`: a condition on its columns alone, which is never null. */
export function isSeen(_sight: Sight, _ticket: Sql): Sql {
  return always;
}

const always = sql`true`;
