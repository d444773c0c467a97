import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate, readMigrations } from '../src/database/migrate.ts';
import { sql } from '../src/database/sql.ts';
import { newId, type UserId, type WorkspaceId } from '../src/lib/ids.ts';
import { readPreferences } from '../src/notifications/preferences.ts';
import { openLog } from '../src/platform/log.ts';
import { enqueue } from '../src/queue/enqueue.ts';
import { makeMember, makeOwner, type Person } from './factories.ts';
import { useHouse } from './harness.ts';
import { runService, temporaryFolder } from './service-process.ts';

/** A database of the first release, with data in old formats, migrated to this release. */
const house = useHouse();

const workspaceId = newId<WorkspaceId>();
const [kept = '', joined = ''] = [newId(), newId()];
const former = newId<UserId>();
const formerWord = `w${workspaceId.replaceAll('-', '')}`;
/** The most text that the first release indexed of one message: characters beyond the basic plane, by pairs. */
const run = Array.from({ length: 50_000 }, (_, at) =>
  String.fromCodePoint(0x20000 + ((at * (1 + Math.floor(at / 42_000))) % 42_000)),
);
const pairs = run.slice(1).map((character, at) => `${run[at]}${character}`);
const three = run.slice(16_000, 16_003).join('');

beforeAll(async () => {
  const client = new pg.Client({ connectionString: house.databaseUrl });
  await client.connect();
  await client.query('drop schema public cascade; create schema public');
  const [first, ...rest] = await readMigrations();
  await client.query(first?.text ?? '');
  await client.query('create table migrations (name text primary key, ran_at timestamptz not null default now())');
  await client.query('insert into migrations (name) values ($1)', [first?.name]);
  await client.query("insert into workspaces (id, name, created_at) values ($1, 'Support', now())", [workspaceId]);
  await client.query('insert into ticket_counters (workspace_id, last_number) values ($1, 2)', [workspaceId]);
  await client.query(
    `insert into users (id, email, email_key, created_at) values ($1, 'old@example.org', 'old@example.org', now())`,
    [former],
  );
  for (const [id, number, status, mergedIntoId] of [
    [kept, 1, 'open', null],
    [joined, 2, 'closed', kept],
  ]) {
    await client.query(
      `insert into tickets (
         workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel, merged_into_id,
         message_count, last_message_at, created_at, updated_at, version, search)
       values ($1, $2, $3, 'Printer', $4, 'normal', 2, 'email', $5, 0, now(), now(), now(), 1, $6)`,
      [workspaceId, id, number, status, mergedIntoId, `${formerWord} printer:1A`],
    );
  }
  await client.query(
    `insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at, search)
     values ($1, $2, $3, 'inbound', 'customer', '我用Windows系统', now(), $4)`,
    [workspaceId, newId(), kept, `${formerWord} 我用:1 用w:2 wi:3 in:4 nd:5 do:6 ow:7 ws:8 s系:9 系统:10`],
  );
  for (const [body, search] of [
    ['Paper jam.', 'paper:1 jam:2'],
    [run.join(''), [...new Set(pairs)].map((pair, at) => `${pair}:${Math.min(at + 1, 16_383)}`).join(' ')],
  ])
    await client.query(
      `insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at, search)
       values ($1, $2, $3, 'inbound', 'customer', $4, now(), $5)`,
      [workspaceId, newId(), kept, body, `${formerWord} ${search}`],
    );
  // Contacts follow in the third release, which made them searchable.
  for (const { text } of rest.slice(0, 2)) await client.query(text);
  for (const { name } of rest.slice(0, 2)) await client.query('insert into migrations (name) values ($1)', [name]);
  await client.query(
    `insert into contacts (workspace_id, id, email, email_key, name, created_at, search)
     values ($1, $2, 'ada@example.org', 'ada@example.org', 'Ada Lovelace', now(), $3)`,
    [workspaceId, newId(), `${formerWord} ada lovelace example org`],
  );
  await client.end();
  await migrate(house.databaseUrl, openLog('silent'));
});

test('a ticket that an import of the first release merged is found by its number and can be unmerged', async () => {
  const agent = await makeMember(house, workspaceId, 'agent');
  const found = await agent.call('GET', '/tickets?search=%232');
  expect(found.body).toMatchObject([{ id: kept }]);
  const parted = await agent.call('POST', `/tickets/${joined}/unmerge`);
  expect(parted).toMatchObject({
    status: 200,
    body: { ticket: { id: joined, status: 'open', mergedIntoId: null }, target: { id: kept, mergedIntoId: null } },
  });
});

test('accounts of the first release still get no mail about notifications', async () => {
  const { digest, types } = await readPreferences(house.app.db, former);
  expect([digest, types.mention]).toEqual(['off', { inApp: true, email: true }]);
});

test('every workspace has an inbound address, even if the first release made it while this one ran', async () => {
  const owner = await makeOwner(house);
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`delete from inbound_addresses where workspace_id = ${owner.workspaceId}`);
    await enqueue(tx, 'house.sweep', {});
  });
  await house.drain();
  const rows = await house.app.db.rows<{ localPart: string }>(sql`
    select local_part as "localPart"
    from inbound_addresses
    where workspace_id in (${owner.workspaceId}, ${workspaceId})`);
  expect(rows).toHaveLength(2);
});

test('texts from before each search word began with its workspace are found, in any script', async () => {
  const agent = await makeMember(house, workspaceId, 'agent');
  for (const search of ['prin', '"paper jam"', 'paper -moon', '-moon', pairs[16_000] ?? '', three])
    expect(await find(agent, search)).toContain(kept);
  expect(await find(agent, '-printer')).toEqual([]);
  expect((await agent.call('GET', '/contacts?search=love')).body).toMatchObject([{ email: 'ada@example.org' }]);
});

test('texts that the former release writes while this one runs are found after the next sweep', async () => {
  const agent = await makeMember(house, workspaceId, 'agent');
  const { db } = house.app;
  await db.pool.query(
    `insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at, search)
     values ($1, $2, $3, 'inbound', 'customer', 'It smokes.', now(), $4)`,
    [workspaceId, newId(), kept, `${formerWord} it:1 smokes:2`],
  );
  await db.pool.query(`update tickets set search = $1 where id = $2`, [`${formerWord} printer:1A`, kept]);
  await db.pool.query(`update contacts set search = $1 where workspace_id = $2`, [`${formerWord} ada`, workspaceId]);
  expect(await find(agent, 'smoke')).toEqual([]);
  await db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.drain();
  expect(await find(agent, 'smoke')).toEqual([kept]);
  // The first release did not index this as a word of its own.
  expect(await find(agent, 'windows')).toEqual([kept]);
  expect(await find(agent, 'printer')).toContain(kept);
  expect((await agent.call('GET', '/contacts?search=ada')).body).toMatchObject([{ email: 'ada@example.org' }]);
});

async function find(agent: Person, search: string): Promise<string[]> {
  const found: { id: string }[] = (await agent.call('GET', `/tickets?search=${encodeURIComponent(search)}`)).body;
  return found.map(({ id }) => id);
}

describe('while processes of the first release still write', () => {
  const database = useHouse();
  const [workspace, requests] = [newId<WorkspaceId>(), 3];
  const acknowledged: string[] = [];
  const refused: string[] = [];
  let longestMs = 0;

  /** The work of the first release for a request: a ticket and its message in one commit. */
  async function write(client: pg.Client): Promise<void> {
    const [ticketId, startedAt] = [newId(), performance.now()];
    const word = `w${workspace.replaceAll('-', '')}`;
    try {
      await client.query('begin');
      const { rows } = await client.query(
        `update ticket_counters set last_number = last_number + 1 where workspace_id = $1
         returning last_number as number`,
        [workspace],
      );
      await client.query(
        `insert into tickets (
           workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel,
           message_count, last_message_at, created_at, updated_at, version, search)
         values ($1, $2, $3, 'Upgrade', 'open', 'normal', 2, 'email', 1, now(), now(), now(), 1, $4)`,
        [workspace, ticketId, rows[0].number, `${word} upgrade:1A`],
      );
      await client.query(
        `insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at, search)
         values ($1, $2, $3, 'inbound', 'customer', 'It goes on.', now(), $4)`,
        [workspace, newId(), ticketId, `${word} it:1 goes:2 on:3`],
      );
      await client.query('commit');
      acknowledged.push(ticketId);
    } catch (error) {
      await client.query('rollback');
      // The service repeats a transaction that collides with another.
      if (!(error as pg.DatabaseError).code?.startsWith('40')) refused.push((error as Error).message);
    }
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }

  beforeAll(async () => {
    const client = new pg.Client({ connectionString: database.databaseUrl });
    await client.connect();
    await client.query('drop schema public cascade; create schema public');
    const [first] = await readMigrations();
    await client.query(first?.text ?? '');
    await client.query('create table migrations (name text primary key, ran_at timestamptz not null default now())');
    await client.query('insert into migrations (name) values ($1)', [first?.name]);
    await client.query("insert into workspaces (id, name, created_at) values ($1, 'Support', now())", [workspace]);
    await client.query('insert into ticket_counters (workspace_id, last_number) values ($1, 0)', [workspace]);
    await client.end();

    let isOver = false;
    const writing = Array.from({ length: requests }, async () => {
      const writer = new pg.Client({ connectionString: database.databaseUrl });
      await writer.connect();
      while (!isOver) await write(writer);
      await writer.end();
    });
    while (acknowledged.length < 20) await sleep(5);
    await migrate(database.databaseUrl, openLog('silent'));
    const after = acknowledged.length;
    while (acknowledged.length < after + 20 && refused.length < 100) await sleep(5);
    isOver = true;
    await Promise.all(writing);
  });

  test('none of their writes is refused or waits for long, before, while and after the migrations run', () => {
    expect(refused).toEqual([]);
    expect(longestMs).toBeLessThan(10_000);
  });

  test('this release shows every write that was acknowledged, and none by halves', async () => {
    const agent = await makeMember(database, workspace, 'agent');
    const { rows } = await database.app.db.pool.query(
      `select t.id, count(m.id)::int as messages from tickets t left join messages m on m.ticket_id = t.id
       where t.workspace_id = $1 group by t.id`,
      [workspace],
    );
    expect(rows.map(({ id }) => id).sort()).toEqual(acknowledged.toSorted());
    expect(rows.filter(({ messages }) => messages !== 1)).toEqual([]);
    await database.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
    await database.drain();
    for (const id of [acknowledged[0], acknowledged.at(-1)]) {
      const { status, body } = await agent.call('GET', `/tickets/${id}`);
      expect({ status, subject: body.subject }).toEqual({ status: 200, subject: 'Upgrade' });
    }
    const found = await agent.call('GET', '/tickets?search=upgrade&limit=1');
    expect(found.headers.get('x-total-count')).toBe(String(acknowledged.length));
  });
});

describe('a downgrade', () => {
  const database = useHouse();
  const place = temporaryFolder();
  afterAll(async () => (await place).remove());

  test.each(['serve', 'worker', 'migrate'])('is refused by `%s` with a sentence that says why', async (command) => {
    const { pool } = database.app.db;
    await pool.query("insert into migrations (name) values ('999_of_a_later_release.sql') on conflict do nothing");
    const before = await pool.query('select count(*) from tickets');
    const { exited, output } = runService(
      {
        DATA_DIR: (await place).path,
        DATABASE_URL: database.databaseUrl,
        AUTH_SECRET: 'a'.repeat(32),
        ENCRYPTION_KEY: 'e'.repeat(32),
      },
      ['src/main.ts', command],
    );
    expect((await exited).code).toBe(1);
    expect(output()).toMatch(/later release of Kontor: it has the migration 999_of_a_later_release\.sql, and this/);
    expect(output()).not.toContain('    at ');
    expect((await pool.query('select count(*) from tickets')).rows).toEqual(before.rows);
  });
});
