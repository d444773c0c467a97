import type { Queryable } from '../../ground/database/db.ts';
import { plannedAnew, quick, type Sql, sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { SearchQuery } from '../../ground/lib/search-query.ts';
import { messageWords, newestWords, ticketOfMessage, wordsOfMessage } from '../../helpdesk/messages/words.ts';

/**
 * Ranks only the newest matches. Ranking every match of a common word takes a third of a second at a million messages;
 * ranking the newest thousand takes 3 ms.
 */
export const rankedMax = 1_000;
/** Samples the newest messages. A word is common if at least `commonMin` of them match. */
const sampled = { messages: 100, commonMin: 12, commonMinOfLarge: 5 } as const;
/** Counts ticket numbers. In a smaller workspace gathering all matches is as quick. */
const largeTicketsMin = 100_000;
/**
 * Going through the newest 20,000 messages takes 32 ms.
 * A walk covers as many as should hold a thousand matches, times `margin`, within `min` and `max`.
 */
const walked = { min: 10_000, max: 50_000, margin: 2.5 } as const;
/** Leaves a thousand matches unless too many lie in tickets that the list excludes. */
const gatheredMax = 2_000;
/** Two pages of tickets with the whole last word are enough, so the search skips longer words. */
const wholeEnough = 200;
/** Reading one message takes as long as gathering this many from the index. */
const readingCost = 4;

/**
 * The ways to look for the newest matching messages:
 * - `walk`: goes through the newest messages of the workspace, as many as should hold a thousand matches. Quick for
 *   common words, because new messages lie together on disk.
 * - `index whole`: takes the newest matches from the index, and treats an unfinished last word as whole. For an
 *   unfinished word the index would gather every message of every word with that prefix before it looks at the rest.
 * - `index beside`: takes the newest matches of the other words, and looks for the unfinished word in them.
 * - `index newest`: takes the newest matches of the whole query from the index.
 * - `index all`: takes all matches from the index, and joins each with its ticket.
 *
 * PostgreSQL cannot choose. Its estimate does not know that a word belongs to one workspace, so the estimate is too
 * low by the workspace's share of all data. Nor does it know how many words begin with an unfinished word.
 */
export const ways = ['walk', 'index whole', 'index beside', 'index newest', 'index all'] as const;
export type Way = (typeof ways)[number];

export type Searching = {
  workspaceId: WorkspaceId;
  words: SearchQuery;
  /** Ignores newer messages, so that pages do not shift under their reader. */
  at: string;
  /** The condition on ticket `t`. */
  where: Sql;
};

type SearchResult<Row> = { rows: Row[]; way: Way };

/** The newest thousand matching messages: `ticket_id`, `search`, `at`. */
type Matching = {
  messages: Sql;
  /** The rows that `messages` selects from as `gathered`, if their number shows whether there are more. */
  gathered: Sql | undefined;
};

/** Counts in each row: messages behind the result, messages gathered for them, and matching tickets. */
export type MatchCounts = { matchingMessages: number; gatheredMessages: number; total: number };

/**
 * Searches in the way that should be quickest. If that way finds too few messages, tries the next way that may help.
 * @param known the way of the earlier pages; the same way finds the same matches, without a sample or failed tries
 * @param statement returns at least one row, even if nothing is found
 */
export async function findMatches<Row extends MatchCounts>(
  db: Queryable,
  searching: Searching,
  known: Way | undefined,
  statement: (matching: Matching) => Sql,
): Promise<SearchResult<Row>> {
  const find = async (way: Way, walkedMax: number = walked.max): Promise<SearchResult<Row>> => ({
    rows: await db.rows<Row>(plannedAnew(statement(newestMessages(searching, way, walkedMax)))),
    way,
  });
  if (known !== undefined) return find(known);
  const sample = await takeSample(db, searching);
  const walkedMax = walkedMaxOf(sample);
  for (const way of waysFor(sample, searching.words)) {
    const found = await find(way, walkedMax);
    if (isEnough(found)) return found;
    // In a large workspace older messages always exist: it has more tickets than the walk has messages.
    if (way === 'walk' && !sample.isLarge && !(await hasOlder(db, searching, walkedMax))) return found;
  }
  return find('index all');
}

function isEnough<Row extends MatchCounts>({ rows: [told], way }: SearchResult<Row>): boolean {
  if (told === undefined) return false;
  if (way === 'index whole') return told.total >= wholeEnough;
  const areAll = (way === 'index newest' || way === 'index beside') && told.gatheredMessages < gatheredMax;
  return areAll || told.matchingMessages >= rankedMax;
}

/** The matches among the newest messages. */
type Sample = {
  matchCount: number;
  /** How many messages have a word that begins with the unfinished word, and how many match the other words. */
  begunCount: number;
  besideCount: number;
  /** Whether a message has the unfinished word as a whole word. */
  hasWhole: boolean;
  isLarge: boolean;
};

function takeSample(db: Queryable, { workspaceId, words: { wanted, unfinished }, at }: Searching): Promise<Sample> {
  // Builds the queries once: a generic plan would parse them again for each message. A null query matches nothing.
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
    cross join (${newestWords(workspaceId, at, sampled.messages)}) m`),
  );
}

/** The ways to try before gathering all matches. */
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
    // A word that no sampled message has is rare, so gathering all matches is as quick.
    'index newest': isLarge && !isBesideQuicker && (matchCount > 0 || begunCount > 0),
    // Always the last resort.
    'index all': false,
  };
  return ways.filter((way) => isTried[way]);
}

/** How many messages should hold enough matches, at the rate of the sample. */
function walkedMaxOf({ matchCount }: Sample): number {
  const likely = (rankedMax / Math.max(matchCount, 1)) * sampled.messages * walked.margin;
  return Math.round(Math.min(Math.max(likely, walked.min), walked.max));
}

/** Whether the workspace has more messages than the walk covers. */
async function hasOlder(db: Queryable, { workspaceId, at }: Searching, walkedMax: number): Promise<boolean> {
  const { isThere } = await db.one<{ isThere: boolean }>(sql`
    select exists (${newestWords(workspaceId, at, walkedMax + 1)} offset ${walkedMax}) as "isThere"`);
  return isThere;
}

function newestMessages({ workspaceId, at, words, where }: Searching, way: Way, walkedMax: number): Matching {
  // The offset lets PostgreSQL look at no ticket but that of the message, even where it takes the tickets for few.
  const ofTickets = (messages: Sql): Sql => sql`
    select m.message_id, x.ticket_id, m.search, m.created_at as at
    from (${messages}) m
    cross join lateral ${ticketOfMessage(workspaceId, sql`m.message_id`)} x
    cross join lateral (
      select from tickets t where t.workspace_id = ${workspaceId} and t.id = x.ticket_id and ${where} offset 0
    ) t
    order by m.created_at desc
    limit ${rankedMax}`;
  const matchesOf = (query: string): Sql => sql`
    from ${messageWords(workspaceId)} m
    where m.created_at <= ${at}::timestamptz and m.search @@ ${query}::tsquery`;
  if (way === 'walk') {
    const messages = ofTickets(sql`
      select * from (${newestWords(workspaceId, at, walkedMax)}) m where m.search @@ ${words.wanted}::tsquery`);
    return { messages, gathered: undefined };
  }
  if (way === 'index all') {
    const messages = ofTickets(sql`select m.message_id, m.search, m.created_at ${matchesOf(words.wanted)}`);
    return { messages, gathered: undefined };
  }
  // Leaves out the vectors and reads them for the remaining rows: sorting vectors takes as long as finding the rows.
  const gathered = sql`
    select m.message_id, null::tsvector as search, m.created_at
    ${inWay(way, words, matchesOf)}
    order by m.created_at desc
    limit ${gatheredMax}`;
  const messages = sql`
    select n.ticket_id, x.search, n.at
    from (${ofTickets(sql`select * from gathered`)}) n
    cross join lateral ${wordsOfMessage(workspaceId, sql`n.message_id`)} x`;
  return { messages, gathered };
}

function inWay(way: Way, { wanted, unfinished }: SearchQuery, matchesOf: (query: string) => Sql): Sql {
  if (way === 'index whole') return matchesOf(unfinished?.wantedAsWhole ?? wanted);
  if (way !== 'index beside' || unfinished?.wantedBeside === undefined) return matchesOf(wanted);
  // Uses a form that no index supports, so that PostgreSQL filters instead.
  return sql`${matchesOf(unfinished.wantedBeside)} and (m.search @@ ${wanted}::tsquery) is true`;
}
