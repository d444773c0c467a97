import type { Queryable } from '../database/db.ts';
import { plannedAnew, quick, type Sql, sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import type { SearchQuery } from '../lib/search-query.ts';

/**
 * Ranking every match of a common word takes a third of a second at a million messages, ranking the newest thousand 3 ms:
 * so those are ranked.
 */
export const rankedMax = 1_000;
/** The newest messages tell of the others: a word is common where so many of them match. */
const sampled = { messages: 100, commonMin: 12, commonMinOfLarge: 5 } as const;
/** By ticket numbers given. In a smaller workspace all matches are gathered as quickly. */
const largeTicketsMin = 100_000;
/** 20,000 of the newest messages are gone through in 32 ms: as many as should hold a thousand matches, times `margin`, from `min` to `max`. */
const walked = { min: 10_000, max: 50_000, margin: 2.5 } as const;
/** Of these a thousand are left, where not too many are in tickets that are not listed. */
const gatheredMax = 2_000;
/** Two pages of tickets with the last word whole are enough not to look for what begins with it. */
const wholeEnough = 200;
/** Reading a message takes as long as gathering so many from the index. */
const readingCost = 4;

/**
 * Where the newest messages that match are looked for:
 * - `walk`: among the newest of all, from the newest on, in as many as should hold a thousand: quick for common words, as what is new lies
 *   together;
 * - `index whole`: the newest in the index, with a last word that may be unfinished taken for a whole one: for an unfinished one the index
 *   gathers each message of each word that begins with it, before it looks at what else is wanted;
 * - `index beside`: the newest by what is wanted beside an unfinished word, which is looked for in what that brings;
 * - `index newest`: the newest in the index, as it is wanted;
 * - `index all`: all in the index, each joined with its ticket.
 *
 * PostgreSQL's own guess does not know that a word is one of its workspace alone, and is too low by as many times as the workspace is
 * smaller than all together. Nor does it know how many words begin with an unfinished one.
 */
export const ways = ['walk', 'index whole', 'index beside', 'index newest', 'index all'] as const;
export type Way = (typeof ways)[number];

export type Searching = {
  workspaceId: WorkspaceId;
  words: SearchQuery;
  /** What is newer is not looked at, so that pages do not shift under their reader. */
  at: string;
  /** The condition on `t`, the ticket. */
  where: Sql;
};

type Found<Row> = { rows: Row[]; way: Way };

/** The newest thousand messages that match: `ticket_id`, `search`, `at`. */
type Matching = {
  messages: Sql;
  /** What they are selected from as `gathered`, where that tells whether there are more. */
  gathered: Sql | undefined;
};

/** What a statement tells in each of its rows: how many messages it was made of, how many were gathered for them, and how many tickets match. */
export type Told = { matchingMessages: number; gatheredMessages: number; total: number };

/**
 * Runs a search in the way that is quick for it; where that brings fewer than enough messages, in the next that may bring more.
 * @param known the way that brought the pages before: the next one is of the same matches, and needs neither a sample nor ways that fail
 * @param statement brings one row at least, also where nothing is found
 */
export async function findMatches<Row extends Told>(
  db: Queryable,
  searching: Searching,
  known: Way | undefined,
  statement: (matching: Matching) => Sql,
): Promise<Found<Row>> {
  const find = async (way: Way, walkedMax: number = walked.max): Promise<Found<Row>> => ({
    rows: await db.rows<Row>(plannedAnew(statement(newestMessages(searching, way, walkedMax)))),
    way,
  });
  if (known !== undefined) return find(known);
  const sample = await takeSample(db, searching);
  const walkedMax = walkedMaxOf(sample);
  for (const way of waysFor(sample, searching.words)) {
    const found = await find(way, walkedMax);
    if (isEnough(found)) return found;
    // A large workspace has older ones: its tickets alone are more.
    if (way === 'walk' && !sample.isLarge && !(await hasOlder(db, searching, walkedMax))) return found;
  }
  return find('index all');
}

function isEnough<Row extends Told>({ rows: [told], way }: Found<Row>): boolean {
  if (told === undefined) return false;
  if (way === 'index whole') return told.total >= wholeEnough;
  const areAll = (way === 'index newest' || way === 'index beside') && told.gatheredMessages < gatheredMax;
  return areAll || told.matchingMessages >= rankedMax;
}

/** Of the newest messages. */
type Sample = {
  matchCount: number;
  /** How many have a word that begins with an unfinished one, and how many what is wanted beside it. */
  begunCount: number;
  besideCount: number;
  /** Whether one has the unfinished word as a whole one. */
  hasWhole: boolean;
  isLarge: boolean;
};

function takeSample(db: Queryable, { workspaceId, words: { wanted, unfinished }, at }: Searching): Promise<Sample> {
  // The queries are made once: a plan that is kept would make them of their text for each message. What null asks for is not looked for.
  return db.one<Sample>(
    quick(sql`
    select count(*) filter (where m.search @@ q.wanted) as "matchCount",
      count(*) filter (where m.search @@ q.begun) as "begunCount",
      count(*) filter (where m.search @@ q.beside) as "besideCount",
      count(*) filter (where m.search @@ q.whole) > 0 as "hasWhole",
      coalesce(bool_or(q."isLarge"), false) as "isLarge"
    from (
      select l."isLarge", ${wanted}::tsquery as wanted,
        case when l."isLarge" then ${unfinished?.word ?? null}::tsquery end as begun,
        case when l."isLarge" then ${unfinished?.wantedBeside ?? null}::tsquery end as beside,
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
function waysFor(
  { matchCount, begunCount, besideCount, hasWhole, isLarge }: Sample,
  { unfinished }: SearchQuery,
): Way[] {
  const isBesideQuicker =
    unfinished?.wantedBeside !== undefined && (besideCount - matchCount) * readingCost < begunCount;
  const isTried: Record<Way, boolean> = {
    walk: matchCount >= (isLarge ? sampled.commonMinOfLarge : sampled.commonMin),
    'index whole': isLarge && hasWhole,
    'index beside': isLarge && isBesideQuicker,
    // Where none of the newest has it, it is rare, and all are gathered as quickly.
    'index newest': isLarge && !isBesideQuicker && (matchCount > 0 || begunCount > 0),
    // Behind these.
    'index all': false,
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

function newestMessages({ workspaceId, at, words, where }: Searching, way: Way, walkedMax: number): Matching {
  const ofTickets = (messages: Sql): Sql => sql`
    select m.id, m.ticket_id, m.search, m.created_at as at
    from (${messages}) m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where ${where}
    order by m.created_at desc
    limit ${rankedMax}`;
  const matchesOf = (query: string): Sql => sql`
    from messages m
    where m.workspace_id = ${workspaceId} and m.created_at <= ${at}::timestamptz and m.search @@ ${query}::tsquery`;
  if (way === 'walk') {
    const messages = ofTickets(sql`
      select * from (${newestOf(workspaceId, at)} limit ${walkedMax}) m where m.search @@ ${words.wanted}::tsquery`);
    return { messages, gathered: undefined };
  }
  if (way === 'index all') {
    const messages = ofTickets(sql`select m.id, m.ticket_id, m.search, m.created_at ${matchesOf(words.wanted)}`);
    return { messages, gathered: undefined };
  }
  // Without the vectors, which are read of those that are left: sorting them along takes as long as finding them.
  const gathered = sql`
    select m.id, m.ticket_id, null::tsvector as search, m.created_at
    ${inWay(way, words, matchesOf)}
    order by m.created_at desc
    limit ${gatheredMax}`;
  const messages = sql`
    select n.ticket_id, x.search, n.at
    from (${ofTickets(sql`select * from gathered`)}) n
    join messages x on x.workspace_id = ${workspaceId} and x.id = n.id`;
  return { messages, gathered };
}

function inWay(way: Way, { wanted, unfinished }: SearchQuery, matchesOf: (query: string) => Sql): Sql {
  if (way === 'index whole') return matchesOf(unfinished?.wantedAsWhole ?? wanted);
  if (way !== 'index beside' || unfinished?.wantedBeside === undefined) return matchesOf(wanted);
  // In a form of which the index knows nothing.
  return sql`${matchesOf(unfinished.wantedBeside)} and (m.search @@ ${wanted}::tsquery) is true`;
}
