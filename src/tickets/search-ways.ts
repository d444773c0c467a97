import type { WorkspaceId } from '../lib/ids.ts';
import type { SearchQuery } from '../lib/search-query.ts';
import type { Queryable } from '../platform/db.ts';
import { plannedAnew, quick, type Sql, sql } from '../platform/sql.ts';

/**
 * Ranking every match of a common word takes a third of a second at a million messages, ranking the newest thousand 3 ms:
 * so those are ranked.
 */
export const rankedMax = 1_000;
/** The newest messages tell of the others: a word is common where so many of them match. */
const sampled = { messages: 100, commonMin: 12, commonMinOfLarge: 5 } as const;
/** By ticket numbers given. In a smaller workspace all matches are gathered as quickly. */
const largeTicketsMin = 100_000;
/** From the newest on 20,000 messages are gone through in 32 ms: in `margin` times as many as should hold a thousand matches. */
const walked = { min: 10_000, max: 50_000, margin: 2.5 } as const;
/** Of these a thousand are left, where not too many are in tickets that are not listed. */
const gatheredMax = 2_000;

/**
 * Where the newest messages that match are looked for:
 * - among the newest of all, from the newest on, in as many as should hold a thousand: quick for common words, as what is new lies together;
 * - in the index, the newest, with a last word that may be unfinished taken for a whole one: for an unfinished one the index gathers
 *   each message of each word that begins with it, before it looks at what else is wanted;
 * - in the index, the newest;
 * - in the index, all, each joined with its ticket.
 *
 * PostgreSQL's own guess does not know that a word is one of its workspace alone, and is too low by as many times as the workspace is
 * smaller than all together; nor what begins with an unfinished one.
 */
export const ways = ['among newest', 'newest whole', 'newest', 'all'] as const;
export type Way = (typeof ways)[number];

export type Searching = {
  workspaceId: WorkspaceId;
  words: SearchQuery;
  /** What is newer is not looked at, so that pages do not shift under their reader. */
  at: string;
  /** The condition on `t`, the ticket. */
  where: Sql;
};

export type Found<Row> = { rows: Row[]; way: Way };

/**
 * Runs a search in the way that is quick for it; where that brings fewer than a thousand messages, in the next that may bring more.
 * @param known the way that brought the pages before: the next one is of the same matches, and needs neither a sample nor ways that fail
 * @param statement made of the newest thousand messages that match (`ticket_id`, `search`, `at`); tells in each row, and has one at least,
 * how many these were
 */
export async function findMatches<Row extends { matchingMessages: number }>(
  db: Queryable,
  searching: Searching,
  known: Way | undefined,
  statement: (messages: Sql) => Sql,
): Promise<Found<Row>> {
  const find = async (way: Way, walkedMax: number = walked.max): Promise<Found<Row>> => ({
    rows: await db.rows<Row>(plannedAnew(statement(newestMessages(searching, way, walkedMax)))),
    way,
  });
  if (known !== undefined) return find(known);
  const sample = await takeSample(db, searching);
  const walkedMax = walkedMaxOf(sample);
  for (const way of waysFor(sample)) {
    const found = await find(way, walkedMax);
    if ((found.rows[0]?.matchingMessages ?? 0) >= rankedMax) return found;
    // A large workspace has older ones: its tickets alone are more.
    if (way === 'among newest' && !sample.isLarge && !(await hasOlder(db, searching, walkedMax))) return found;
  }
  return find('all');
}

/** Of the newest messages. */
type Sample = {
  matchCount: number;
  /** Whether one has a word that begins with an unfinished one, and whether one has that as a whole word. */
  hasBeginning: boolean;
  hasWhole: boolean;
  isLarge: boolean;
};

function takeSample(db: Queryable, { workspaceId, words: { wanted, unfinished }, at }: Searching): Promise<Sample> {
  // The queries are made once: a plan that is kept would make them of their text for each message. What null asks for is not looked for.
  return db.one<Sample>(
    quick(sql`
    select count(*) filter (where m.search @@ q.wanted) as "matchCount",
      count(*) filter (where m.search @@ q.beginning) > 0 as "hasBeginning",
      count(*) filter (where m.search @@ q.whole) > 0 as "hasWhole",
      coalesce(bool_or(q."isLarge"), false) as "isLarge"
    from (
      select l."isLarge", ${wanted}::tsquery as wanted,
        case when l."isLarge" then ${unfinished?.word ?? null}::tsquery end as beginning,
        case when l."isLarge" then ${unfinished?.wordAsWhole ?? null}::tsquery end as whole
      from (
        select exists (
          select from ticket_counters c where c.workspace_id = ${workspaceId} and c.last_number >= ${largeTicketsMin}
        ) as "isLarge"
      ) l
      offset 0
    ) q
    cross join (${newestOf(workspaceId, at)} limit ${sampled.messages}) m`),
  );
}

/** The ways to be tried before all matches are gathered. */
function waysFor({ matchCount, hasBeginning, hasWhole, isLarge }: Sample): Way[] {
  const isTried: Record<Way, boolean> = {
    'among newest': matchCount >= (isLarge ? sampled.commonMinOfLarge : sampled.commonMin),
    'newest whole': isLarge && hasWhole,
    newest: isLarge && (matchCount > 0 || hasBeginning),
    // Behind these.
    all: false,
  };
  return ways.filter((way) => isTried[way]);
}

/** In how many messages there should be enough that match, at the rate of the sample. */
function walkedMaxOf({ matchCount }: Sample): number {
  const likely = (rankedMax / Math.max(matchCount, 1)) * sampled.messages * walked.margin;
  return Math.round(Math.min(Math.max(likely, walked.min), walked.max));
}

/** Whether there are messages older than those that were gone through. */
async function hasOlder(db: Queryable, { workspaceId, at }: Searching, walkedMax: number): Promise<boolean> {
  const { isThere } = await db.one<{ isThere: boolean }>(sql`
    select exists (${newestOf(workspaceId, at)} offset ${walkedMax} limit 1) as "isThere"`);
  return isThere;
}

function newestOf(workspaceId: WorkspaceId, at: string): Sql {
  return sql`
    select m.id, m.ticket_id, m.search, m.created_at
    from messages m
    where m.workspace_id = ${workspaceId} and m.created_at <= ${at}::timestamptz
    order by m.created_at desc`;
}

function newestMessages({ workspaceId, at, words, where }: Searching, way: Way, walkedMax: number): Sql {
  const ofTickets = (messages: Sql): Sql => sql`
    select m.id, m.ticket_id, m.search, m.created_at as at
    from (${messages}) m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where ${where}
    order by m.created_at desc
    limit ${rankedMax}`;
  if (way === 'among newest') {
    return ofTickets(sql`
      select * from (${newestOf(workspaceId, at)} limit ${walkedMax}) m where m.search @@ ${words.wanted}::tsquery`);
  }
  if (way === 'all') {
    return ofTickets(sql`
      select m.id, m.ticket_id, m.search, m.created_at
      from messages m
      where m.workspace_id = ${workspaceId} and m.created_at <= ${at}::timestamptz and m.search @@ ${words.wanted}::tsquery`);
  }
  const wanted = way === 'newest whole' ? (words.unfinished?.wantedAsWhole ?? words.wanted) : words.wanted;
  // Without the vectors, which are read of those that are left: sorting them along takes as long as finding them.
  return sql`
    select n.ticket_id, x.search, n.at
    from (${ofTickets(sql`
      select m.id, m.ticket_id, null::tsvector as search, m.created_at
      from messages m
      where m.workspace_id = ${workspaceId} and m.created_at <= ${at}::timestamptz and m.search @@ ${wanted}::tsquery
      order by m.created_at desc
      limit ${gatheredMax}`)}) n
    join messages x on x.workspace_id = ${workspaceId} and x.id = n.id`;
}
