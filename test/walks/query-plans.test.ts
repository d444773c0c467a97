import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sql, sql } from '../../src/ground/database/sql.ts';
import { copiedTables } from '../../src/ground/database/table-places.ts';
import { startListening } from '../../src/mail/mailboxes/listening/listening.ts';
import { crontab, drain, jobHandlers } from '../../src/worker.ts';
import { gatherPlans, type Ran, tellPlans } from '../harness/explain.ts';
import { buildReplica } from '../harness/harness.ts';
import { call } from '../worlds/factories.ts';
import { seedSmallWorkspaces, seedWorkspace } from '../worlds/seed-workspace.ts';
import { type Operation, operationsOf } from './api-walk.ts';
import { hotPaths, pagesOfLists } from './hot-paths.ts';
import { buildWalkedHouse } from './isolation.ts';
import { attempt, makeWorld, type World } from './isolation-world.ts';
import { boundFaults, distinct, oneLine, pageFaults, scanFaults } from './plan-faults.ts';
import { tablesIn, unboundTables } from './statement-tenancy.ts';

type Watched = Awaited<ReturnType<typeof buildReplica>> & { ran: Ran[] };

/** Gets the frequent requests over one connection, so that PostgreSQL switches to generic plans as in production. */
let hot: Watched;
/** Gets every request. */
let walked: Watched;
let house: Awaited<ReturnType<typeof buildWalkedHouse>>;
let world: World;
let tables: { tenants: Set<string>; others: Set<string> };
/** Statements that must touch few rows. */
const bounded: Ran[] = [];
const unexpected: string[] = [];

/** From the sixth execution on PostgreSQL may use a generic plan. */
const timesAsked = 6;
const setUpMsMax = 600_000;

beforeAll(async () => {
  house = await buildWalkedHouse();
  world = await makeWorld(house, 'ours');
  tables = await findTables();
  await seedWorkspace(house, world.owner);
  await tellPlans(house);
  hot = await watch(1);
  walked = await watch(10);
  await askHotPaths();
  await walk();
}, setUpMsMax);
afterAll(async () => {
  await hot?.close();
  await walked?.close();
  await house?.close();
});

async function watch(poolSize: number): Promise<Watched> {
  let ran: Ran[] = [];
  const replica = await buildReplica(house, poolSize, (app) => {
    // Forbids sequential scans: with small tables they would hide the lack of an index.
    ran = gatherPlans(app, 'set enable_seqscan = off');
  });
  return { ...replica, ran };
}

async function findTables(): Promise<typeof tables> {
  const found = await house.app.db.rows<{ name: string; isTenants: boolean }>(sql`
    select c.relname as name, a.attname = 'workspace_id' and c.relname <> 'inbound_addresses' as "isTenants"
    from pg_class c
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where c.relnamespace = 'public'::regnamespace`);
  const named = (isTenants: boolean) => new Set(found.filter((t) => t.isTenants === isTenants).map(({ name }) => name));
  return { tenants: named(true), others: named(false) };
}

async function askHotPaths(): Promise<void> {
  for (const { name, ask, readsMore } of await hotPaths(house, world.owner)) {
    const before = hot.ran.length;
    for (let time = 0; time < timesAsked; time++) {
      const { status, body } = await ask(hot);
      if (status >= 300) unexpected.push(`${name} answers ${status} ${JSON.stringify(body)}`);
    }
    await hearAll();
    const ran = hot.ran.slice(before);
    if (ran.length < timesAsked) unexpected.push(`${name}: its statements were not seen`);
    if (readsMore === undefined) bounded.push(...ran.map((one) => ({ ...one, by: name })));
  }
}

/** PostgreSQL reports a statement after its answer, but before the next answer on the same connection. */
async function hearAll(): Promise<void> {
  await hot.app.db.pool.query('begin; commit');
}

/** Runs every operation of the API document and every job, so that a new route is checked automatically. */
async function walk(): Promise<void> {
  const { body: document } = await call(house, 'GET', '/v1/openapi.json');
  const operations = operationsOf(document).filter(({ isPublic }) => !isPublic);
  const handlers = jobHandlers(walked.app);
  const ask = (operation: Operation) =>
    attempt({ ...house, ...walked, drain: () => drain(walked.app) }, operation, world, world.owner);
  const order = ['POST', 'PUT', 'PATCH', 'DELETE'];
  const isMaking = ({ method, successes }: Operation): boolean =>
    method === 'GET' || successes.some((status) => status > 200 && status < 204);
  const making = operations.filter(isMaking);
  for (const operation of making) await ask(operation);
  // Again, for what exists by now.
  for (const operation of making.filter(({ method }) => method === 'POST')) await ask(operation);
  await drain(walked.app);
  const changes = operations.filter((operation) => !isMaking(operation));
  for (const operation of changes.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method)))
    await ask(operation);
  await drain(walked.app);
  await startListening(walked.app).stop();
  for (const { job } of crontab) await handlers[job]({} as never, { attempt: 1, attemptsMax: 1 });
}

/** A generic plan is made for an average workspace, so a large workspace among small ones is the hard case. */
test('a page of a list reads few rows in a large workspace among many small ones', async () => {
  await seedSmallWorkspaces(house);
  await using skewed = new AsyncDisposableStack();
  const replica = await watch(1);
  skewed.defer(replica.close);
  for (const { name, ask } of pagesOfLists(world.owner)) {
    const before = replica.ran.length;
    for (let time = 0; time < timesAsked; time++) await ask(replica);
    await replica.app.db.pool.query('begin; commit');
    for (const one of replica.ran.slice(before)) one.by = name;
  }
  expect(replica.ran.length).toBeGreaterThan(100);
  expect(pageFaults(replica.ran)).toEqual([]);
});

/** The plans of a statement with a typical mistake. */
async function planted(query: Sql): Promise<Ran[]> {
  const before = hot.ran.length;
  await hot.app.db.rows(query);
  return hot.ran.splice(before);
}

test('every frequent request succeeded, and its statements were seen', () => {
  expect(unexpected).toEqual([]);
});

describe('what a statement touches', () => {
  test('is bounded, however much its workspace holds', () => {
    expect(boundFaults(bounded)).toEqual([]);
  });

  test('is found by an index', () => {
    const sought = [...hot.ran, ...walked.ran].filter(({ text }) => !isOneOf(readThrough, text));
    expect(scanFaults(sought, new Set([...tables.tenants, ...tables.others]))).toEqual([]);
  });

  test('is reported if it is neither bounded nor found', async () => {
    const { workspaceId } = world.owner;
    const unsearched = await planted(
      sql`select id from tickets where workspace_id = ${workspaceId} and subject = 'Ticket 7'`,
    );
    expect(boundFaults(unsearched)).toEqual([
      expect.stringMatching(/touches 6\d{3} rows of .* tickets.*: select id from tickets/),
    ]);
    const unindexed = await planted(sql`select id from sessions where user_agent = 'curl'`);
    expect(scanFaults(unindexed, tables.others)).toEqual([
      expect.stringMatching(/^Seq Scan sessions from end to end: select/),
    ]);
  });
});

/** The beginnings of statements, and why each exception is allowed. */
type Exceptions = readonly (readonly [beginning: string, why: string])[];

const onceAnHour = 'An hourly sweep deletes expired rows, some thousand at a time.';
const readThrough: Exceptions = [
  ['delete from mail_imports where (workspace_id, id) in', 'few imports, once an hour'],
  ...['link_tokens', 'refresh_tokens', 'sessions', 'sign_in_challenges', 'second_factors', 'throttles'].map(
    (table) => [`delete from ${table} where`, onceAnHour] as const,
  ),
  ['delete from mailbox_sign_ins where', onceAnHour],
  ['delete from storage_reservations where (workspace_id, id) in', 'few uploads under way, once an hour'],
  ['delete from commit_marks', 'It is always empty.'],
  ['update webhooks set previous_secret = null', 'Workspaces have few webhooks.'],
  [`select m.workspace_id as "workspaceId", m.id from mailboxes m where m.status = 'disconnected'`, 'few mailboxes'],
];

const ofPerson = 'It is about a person, who may be a member of many workspaces.';
const ofHouse = 'A sweep or the start covers all workspaces at once.';
/** Runs twice a second, but only while a stream is open, which is chance here. */
const ofStreams = 'A process asks at once for all people with open streams.';
const acrossWorkspaces: Exceptions = [
  ['select w.id, w.name, m.role from members m', ofPerson],
  ['select count(*) from members where user_id', ofPerson],
  ['select workspace_id as "workspaceId", signature_html', ofPerson],
  ['insert into audit_log (workspace_id, id, type, actor_user_id', ofPerson],
  ['select m.workspace_id as "workspaceId", m.user_id as "userId", m.role', ofStreams],
  ['select k.workspace_id as "workspaceId", k.id as "keyId"', ofStreams],
  ['select distinct a.workspace_id as "workspaceId" from unnest(', ofStreams],
  ['delete from idempotent_answers where', ofHouse],
  ['delete from attachments where message_id is null', ofHouse],
  ['insert into loose_blobs (workspace_id, sha256, noted_at) select distinct', ofHouse],
  ['select workspace_id as "workspaceId", sha256 from loose_blobs', ofHouse],
  ['delete from webhook_deliveries where', ofHouse],
  ['delete from gathered_facts where', ofHouse],
  ['select workspace_id as "workspaceId", id as "mailboxId" from mailboxes m where', ofHouse],
  ['select workspace_id as "workspaceId", id from tickets where summary_version is distinct', ofHouse],
  ['( select workspace_id as "workspaceId", id from tickets where trashed_at', ofHouse],
  ['delete from workspace_storage where', ofHouse],
  ['delete from storage_reservations where (workspace_id, id) in', ofHouse],
  ['delete from remote_images where', ofHouse],
  ['delete from saved_reply_uses where', ofHouse],
  ['delete from mailbox_sign_ins where', ofHouse],
  ['delete from bulk_change_tickets where', ofHouse],
  ['delete from bulk_changes where', ofHouse],
  ['delete from mail_imports where (workspace_id, id) in', ofHouse],
  ['select i.workspace_id as "workspaceId", i.id from mail_imports i', ofHouse],
  ['update workspace_storage s set used_bytes = s.used_bytes - d.bytes', ofHouse],
  ['select c.workspace_id as "workspaceId", c.id from bulk_changes c', ofHouse],
  ['select first.workspace_id as "workspaceId", first.id from ( select distinct on', ofHouse],
  ['select m.workspace_id as "workspaceId", m.id as "messageId" from messages m where m.delivery_status', ofHouse],
  ['update webhooks set previous_secret = null', ofHouse],
  ['select workspace_id as "workspaceId", id as "webhookId" from webhooks', ofHouse],
  ['select m.user_id as "userId", m.workspace_id', ofHouse],
  ['select c.workspace_id as "workspaceId", c.workspace_id as id from ticket_counters c', ofHouse],
  ['select m.workspace_id as "workspaceId", m.id from mailboxes m', ofHouse],
  ['select r.workspace_id as "workspaceId", r.id from webhooks', ofHouse],
  ['select r.workspace_id as "workspaceId", r.id from report_readers r', ofHouse],
  ['select r.workspace_id as "workspaceId", r.id from rule_readers r', ofHouse],
  ['select p.workspace_id as "workspaceId", p.ticket_id as id from survey_plans p', ofHouse],
  ['delete from rule_runs where (workspace_id, id) in', ofHouse],
  ['delete from rule_timers where (workspace_id, rule_id, ticket_id) in', ofHouse],
  ['delete from auto_reply_log where (workspace_id, id) in', ofHouse],
  ['select e.workspace_id as "workspaceId", e.id from erasures e', ofHouse],
  ['select w.workspace_id as "workspaceId", t.id from ticket_counters w cross join lateral', ofHouse],
  ['select l.workspace_id as "workspaceId", l.mailbox_id as id from mailbox_syncs l', ofHouse],
  ['update mailbox_listeners l set holder', ofHouse],
  ['insert into mailbox_listeners (workspace_id, mailbox_id, held_until) select', ofHouse],
  ['select l.workspace_id as "workspaceId", l.mailbox_id as "mailboxId" from mailbox_listeners l', ofHouse],
  ['select c.workspace_id as "workspaceId", c.message_id as id from unfiled_copies c', ofHouse],
];

function isOneOf(exceptions: Exceptions, text: string): boolean {
  return exceptions.some(([beginning]) => oneLine(text).startsWith(beginning));
}

describe('every statement', () => {
  const texts = () => distinct([...hot.ran, ...walked.ran].map(({ text }) => text));

  test('has a condition on workspace_id, by a parameter, for each table of a workspace', () => {
    const unbound = texts().filter((text) => unboundTables(text, tables.tenants).length > 0);
    expect(unbound.filter((text) => !isOneOf(acrossWorkspaces, text)).map(oneLine)).toEqual([]);
  });

  test('that is listed as an exception was run, so no exception outlives its statement', () => {
    const lines = texts().map(oneLine);
    const expected = [...readThrough, ...acrossWorkspaces].filter(([, why]) => why !== ofStreams);
    const unused = expected.filter(([beginning]) => !lines.some((line) => line.startsWith(beginning)));
    expect(unused).toEqual([]);
  });

  test('finds rows by keys, since rows of two nodes may have the same ctid', () => {
    const kept = new Set([...tables.tenants, 'sessions', 'users']);
    const byPlace = texts().filter((text) => /\bctid\b/.test(text) && tablesIn(text).some((name) => kept.has(name)));
    expect(byPlace.map(oneLine)).toEqual([]);
  });

  test('joins tables of a workspace only with tables that each node has a copy of', () => {
    const joined = texts()
      .map((text) => tablesIn(text))
      .filter((names) => names.some((name) => tables.tenants.has(name)))
      .flatMap((names) => names.filter((name) => tables.others.has(name)));
    expect(distinct(joined).sort()).toEqual(copiedTables.toSorted());
  });
});

test('a request leaves nothing in its database session, which a pooler gives to the next request', async () => {
  const { pool } = walked.app.db;
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  const left = await Promise.all(
    clients.map((client) =>
      client.query(`
        select name as left from pg_settings
        where source = 'session' and setting <> reset_val and name <> 'enable_seqscan'
        union all select 'listens on ' || channel from pg_listening_channels() channel
        union all select 'locks ' || objid from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
        union all select relname from pg_class where relpersistence = 't' and relnamespace = pg_my_temp_schema()`),
    ),
  );
  for (const client of clients) client.release();
  expect(left.flatMap(({ rows }) => rows)).toEqual([]);
});
