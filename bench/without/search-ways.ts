import type { Queryable } from '../../src/ground/database/db.ts';
import { plannedAnew, quick, type Sql, sql } from '../../src/ground/database/sql.ts';
import { messageWords, newestWords, ticketOfMessage } from '../../src/helpdesk/messages/words.ts';
import {
  type findMatches as findInLargeToo,
  rankedMax,
  type Searching,
  ways,
} from '../../src/inbox/lists/search-ways.ts';

export { rankedMax, ways };

/** A word is common if at least this many of the newest hundred messages match. */
const sampled = { messages: 100, commonMin: 12 };
const walked = { min: 10_000, max: 50_000, margin: 2.5 };

export const findMatches: typeof findInLargeToo = async (db, searching, known, statement) => {
  const walk = async (walkedMax: number) => ({
    rows: await db.rows<never>(
      plannedAnew(statement({ messages: walkedMessages(searching, walkedMax), gathered: undefined })),
    ),
    way: 'walk' as const,
  });
  const gather = async () => ({
    rows: await db.rows<never>(plannedAnew(statement({ messages: allMessages(searching), gathered: undefined }))),
    way: 'index all' as const,
  });
  if (known !== undefined) return known === 'walk' ? walk(walked.max) : gather();
  const matchCount = await countInSample(db, searching);
  if (matchCount < sampled.commonMin) return gather();
  const likely = (rankedMax / matchCount) * sampled.messages * walked.margin;
  const walkedMax = Math.round(Math.min(Math.max(likely, walked.min), walked.max));
  const found = await walk(walkedMax);
  const [told] = found.rows as { matchingMessages: number }[];
  const isEnough = told !== undefined && told.matchingMessages >= rankedMax;
  return isEnough || !(await hasOlder(db, searching, walkedMax)) ? found : gather();
};

async function countInSample(db: Queryable, searching: Searching): Promise<number> {
  const { matchCount } = await db.one<{ matchCount: number }>(
    quick(sql`
    select count(*) filter (where m.search @@ q.wanted) as "matchCount"
    from (select ${searching.words.wanted}::tsquery as wanted offset 0) q
    cross join (${newestWords(searching.workspaceId, searching.at, sampled.messages)}) m`),
  );
  return matchCount;
}

async function hasOlder(db: Queryable, { workspaceId, at }: Searching, walkedMax: number): Promise<boolean> {
  const { isThere } = await db.one<{ isThere: boolean }>(sql`
    select exists (${newestWords(workspaceId, at, walkedMax + 1)} offset ${walkedMax}) as "isThere"`);
  return isThere;
}

function walkedMessages(searching: Searching, walkedMax: number): Sql {
  const { workspaceId, at, words } = searching;
  return ofTickets(
    searching,
    sql`select * from (${newestWords(workspaceId, at, walkedMax)}) m where m.search @@ ${words.wanted}::tsquery`,
  );
}

function allMessages(searching: Searching): Sql {
  const { workspaceId, at, words } = searching;
  return ofTickets(
    searching,
    sql`
    select m.message_id, m.search, m.created_at
    from ${messageWords(workspaceId)} m
    where m.created_at <= ${at}::timestamptz and m.search @@ ${words.wanted}::tsquery`,
  );
}

function ofTickets({ workspaceId, where }: Searching, messages: Sql): Sql {
  return sql`
    select m.message_id, x.ticket_id, m.search, m.created_at as at
    from (${messages}) m
    cross join lateral ${ticketOfMessage(workspaceId, sql`m.message_id`)} x
    join tickets t on t.workspace_id = ${workspaceId} and t.id = x.ticket_id
    where ${where}
    order by m.created_at desc
    limit ${rankedMax}`;
}
