import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import { visible, withSight } from '../../ground/database/visible.ts';
import type { TeamId } from '../../ground/lib/ids.ts';
import { isListed } from '../../helpdesk/messages/drafts.ts';
import { problemsOf } from '../../helpdesk/messages/problems.ts';
import { scheduledOf } from '../../transport/deliveries/list-scheduled.ts';
import { conditionsOf } from './filters.ts';
import { countMax } from './list-page.ts';
import type { ListTicketsQuery } from './schema.ts';

export type Count = { count: number; isAtLeast: boolean };
export type TeamCount = { teamId: TeamId; open: Count; unassigned: Count };

/** The lists that everybody has, as filters of the list of tickets. */
const standardLists = {
  mine: { status: ['open'], assignee: ['me'] },
  unassigned: { status: ['open'], assignee: ['none'] },
  open: { status: ['open'] },
  pending: { status: ['pending'] },
  snoozed: { snoozed: true },
  closed: { status: ['closed'] },
  mentions: { mentioned: true, unread: true },
} satisfies Record<string, ListTicketsQuery>;
const standardListNames = [
  ...(Object.keys(standardLists) as (keyof typeof standardLists)[]),
  'undelivered',
  'scheduled',
  'drafts',
  'unread',
] as const;
export type StandardCounts = Record<(typeof standardListNames)[number], Count>;

/**
 * Counts the standard lists, the given ones and the open tickets of teams in one statement, each to a thousand.
 * @param queries must not search, because counting the matches would read all of them
 * @returns the counts, and the snapshot of this statement; null on Citus, where each node has its own
 */
export async function countLists(
  db: Queryable,
  actor: Actor,
  { queries, teamIds }: { queries: readonly ListTicketsQuery[]; teamIds: readonly TeamId[] },
  now: Date,
): Promise<{ standard: StandardCounts; others: Count[]; teams: TeamCount[]; snapshot: string | null }> {
  const { workspaceId, userId } = actor;
  const lists = [...Object.values(standardLists), ...queries];
  const conditions = await Promise.all(lists.map((query) => conditionsOf(db, actor, query, now, 'shared')));
  const counted: Sql[] = [
    ...conditions.map((list) => sql`select from tickets t where ${joinSql(list, ' and ')}`),
    sql`select ${problemsOf(actor)}`,
    sql`select ${scheduledOf(actor)}`,
    sql`
      select from drafts d
      where d.workspace_id = ${workspaceId} and d.user_id = ${userId} and ${isListed(actor)}`,
    sql`
      select from unread_tickets u
      join tickets t on t.workspace_id = ${workspaceId} and t.id = u.ticket_id
      where u.workspace_id = ${workspaceId} and u.user_id = ${userId}
        and t.status <> 'closed' and t.archived_at is null and t.merged_into_id is null
        and ${visible(actor, 't', 'shared')}`,
  ];
  const columns = counted.map((list) => sql`(select count(*) from (${list} limit ${countMax + 1}) counted)::integer`);
  const conditionsOfList = (name: keyof typeof standardLists): readonly Sql[] =>
    conditions[Object.keys(standardLists).indexOf(name)] ?? [];
  const row = await db.one<{ counts: number[]; open: number[]; unassigned: number[]; snapshot: string | null }>(
    plannedAnew(sql`
      ${withSight(actor)}
      select array[${joinSql(columns, ', ')}] as counts, 
        ${countOfTeams(conditionsOfList('open'), teamIds)} as open,
        ${countOfTeams(conditionsOfList('unassigned'), teamIds)} as unassigned,
        case when to_regclass('pg_catalog.pg_dist_transaction') is null then pg_current_snapshot()::text end
          as snapshot`),
  );
  const told = row.counts.map(countOf);
  const standard = told.slice(0, conditions.length - queries.length);
  const ofMember = told.slice(conditions.length);
  return {
    standard: Object.fromEntries(
      [...standard, ...ofMember].map((count, at) => [standardListNames[at], count]),
    ) as StandardCounts,
    others: told.slice(standard.length, conditions.length),
    teams: teamIds.map((teamId, at) => ({
      teamId,
      open: countOf(row.open[at] ?? 0),
      unassigned: countOf(row.unassigned[at] ?? 0),
    })),
    snapshot: row.snapshot,
  };
}

const countOf = (count: number): Count => ({ count: Math.min(count, countMax), isAtLeast: count > countMax });

/** The counts of a list for each team, as an array in the order of the ids: one plan counts all of them. */
function countOfTeams(conditions: readonly Sql[], teamIds: readonly TeamId[]): Sql {
  return sql`array(
    select (
      select count(*) from (
        select from tickets t where ${joinSql(conditions, ' and ')} and t.team_id = team.id limit ${countMax + 1}
      ) counted
    )::integer
    from unnest(${teamIds}::uuid[]) with ordinality team (id, place)
    order by team.place)`;
}
