/**
 * Measures reports of a workspace with a million tickets a year: an overview of a month, a quarter and the year must
 * answer within 150 ms, or refuse to. `node bench/prove/reports.ts [tickets]` starts everything that it needs, and
 * exits with 1 over the limit.
 */

import { loadavg } from 'node:os';
import pg from 'pg';
import { sql } from '../../src/ground/database/sql.ts';
import { nilId } from '../../src/ground/lib/ids.ts';
import { readBusinessHours } from '../../src/insight/reports/business-time.ts';
import type { House } from '../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../test/worlds/factories.ts';
import { proveAt } from './place.ts';

const limitMs = 150;
const rounds = 20;
const dayMs = 86_400_000;

/** Writes the tickets of a year, evenly, with the figures that reports keep of each. */
export async function fillYear(house: House, { workspaceId, userId }: Person, tickets: number): Promise<void> {
  // The service's own connections end a statement that takes so long.
  const client = new pg.Client({ ...house.app.db.pool.options, query_timeout: 0, statement_timeout: 0 });
  await client.connect();
  const named = (text: string) =>
    text
      .replaceAll(':workspace', client.escapeLiteral(workspaceId))
      .replaceAll(':user', client.escapeLiteral(userId))
      .replaceAll(':count', String(tickets));
  try {
    for (const statement of rows) await client.query(named(statement));
    await client.query('vacuum analyze tickets, ticket_metrics, ticket_responses');
  } finally {
    await client.end();
  }
  const { mark } = await readBusinessHours(house.app.db, workspaceId);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into report_readers
        (workspace_id, id, read_transaction_id, read_id, past_id, filled_to, asked_at, read_at, counted_by)
      values (${workspaceId}, ${workspaceId}, pg_snapshot_xmin(pg_current_snapshot()),
        ${nilId}, ${nilId}, null, ${tx.now}, ${tx.now}, ${mark})`),
  );
}

/** The same numbers in each run. Fewer mails come at weekends, and replies are slower there. */
const rows = [
  `create temp table story as
  select uuidv7(at - now()) as id, n, at, answer, case when n % 9 > 0 then at + close end as closed
  from (
    select n, at, case when n % 13 > 0 then at + (60 + 20000 * ln(1 + (n * 7919 % 1000) / 300.0)
        * case when extract(isodow from at) > 5 then 3 else 1 end) * interval '1 s' end as answer,
      (3600 + 200000 * ((n * 104729 % 1000) / 1000.0) ^ 2) * interval '1 s' as close
    from (
      select n, date_trunc('day', now() - n * 365.0 * 11 / 14 / :count * interval '1 day')
        + (7 + 12 * (n * 31 % 97) / 97.0) * interval '1 hour' as at
      from generate_series(1::bigint, :count * 14 / 11) n
    ) n
    -- This leaves 11 of 14.
    where extract(isodow from at) < 6 or n % 4 = 0
  ) n
  where at < now()
  order by at`,
  `insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, tags, tag_keys,
    channel, message_count, last_message_at, created_at, updated_at, version, summary_version, search)
  select :workspace, id, n, 'Question ' || n, case when closed < now() then 'closed' else 'open' end,
    case when n % 17 = 0 then 'high' else 'normal' end, case when n % 17 = 0 then 3 else 2 end,
    array[(array['bike', 'invoice', 'brake', 'warranty'])[1 + n % 4]],
    array[(array['bike', 'invoice', 'brake', 'warranty'])[1 + n % 4]],
    'email', 2, coalesce(answer, at), at, at, 1, 1, ''
  from story`,
  `insert into ticket_metrics (workspace_id, ticket_id, first_customer_at, answers, customer_messages, notes, opened_at,
    closed_at, turned_at, resolved_at, resolved_by, resolution_seconds, reassignments, is_one_touch, created_at,
    began_open, is_open, is_reopened)
  select :workspace, id, at, case when answer < now() then 1 else 0 end, 1, 0,
    case when reopened then array[at, at + (closed - at) / 2] else array[at] end,
    case when reopened then array[at + (closed - at) / 3, closed] when is_closed then array[closed] else '{}' end,
    case when is_closed then closed else at end, case when is_closed then closed end, :user,
    case when is_closed then extract(epoch from closed - at) end, 0, not reopened and n % 3 = 0, at, true,
    not is_closed, reopened
  from (
    select *, coalesce(closed < now(), false) as is_closed, n % 20 = 0 and coalesce(closed < now(), false) as reopened
    from story
  ) story`,
  `insert into ticket_responses
    (workspace_id, ticket_id, message_id, responded_at, user_id, is_first, seconds)
  select :workspace, id, gen_random_uuid(), answer, :user, true, extract(epoch from answer - at)
  from story where answer < now()`,
];

/** What is asked of a report, and whether it has the limit: what looks at each ticket takes longer. */
const asked: readonly (readonly [days: number, path: string, hasLimit: boolean])[] = [
  [7, 'overview?interval=day', true],
  [30, 'overview?interval=day', true],
  [90, 'overview?interval=week', true],
  [365, 'overview?interval=month', true],
  [30, 'groups?by=member', true],
  [30, 'groups?by=priority', false],
  [7, 'overview?interval=day&priority=high', false],
  [30, 'overview?interval=day&priority=high', false],
];

async function measure(house: House): Promise<void> {
  const tickets = Number(process.argv[2] ?? 1_000_000);
  const owner = await makeOwner(house);
  await fillYear(house, owner, tickets);
  await measureReports(owner, tickets);
}

/** Prints how long each report takes. Sets the exit code to 1 over the limit. */
export async function measureReports(person: Person, tickets: number): Promise<void> {
  for (const [days, path, hasLimit] of asked) {
    const [from, to] = [Date.now() - days * dayMs, Date.now()].map((at) => new Date(at).toISOString());
    const took: number[] = [];
    let status = 0;
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      ({ status } = await person.call('GET', `/reports/${path}&from=${from}&to=${to}`));
      took.push(performance.now() - startedAt);
    }
    took.sort((one, other) => one - other);
    const [p50, p95] = [0.5, 0.95].map((part) => took[Math.floor(took.length * part)] ?? 0);
    const load = loadavg()[0]?.toFixed(1);
    console.log(
      `${path}, ${days} days of ${tickets} tickets a year: ${status}, p50 ${p50?.toFixed(0)} ms, ` +
        `p95 ${p95?.toFixed(0)} ms, load ${load}`,
    );
    if (hasLimit && (p95 ?? 0) > limitMs) process.exitCode = 1;
  }
}

if (import.meta.main) await proveAt(1, ({ house }) => measure(house));
