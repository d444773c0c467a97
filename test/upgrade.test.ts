import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../src/lib/ids.ts';
import { enqueue } from '../src/platform/enqueue.ts';
import { openLog } from '../src/platform/log.ts';
import { migrate, readMigrations } from '../src/platform/migrate.ts';
import { sql } from '../src/platform/sql.ts';
import { makeMember, makeOwner } from './factories.ts';
import { useHouse } from './harness.ts';

/** A database of the first release, with what only that one wrote, brought up to date. */
const house = useHouse();

const workspaceId = newId();
const [kept = '', joined = ''] = [newId(), newId()];
const formerLexeme = `w${workspaceId.replaceAll('-', '')}`;
const many = (text: (at: number) => string) => Array.from({ length: 50_000 }, (_, at) => text(at)).join(' ');

beforeAll(async () => {
  const client = new pg.Client({ connectionString: house.databaseUrl });
  await client.connect();
  await client.query('drop schema public cascade; create schema public');
  const [first] = await readMigrations();
  await client.query(first?.text ?? '');
  await client.query('create table migrations (name text primary key, ran_at timestamptz not null default now())');
  await client.query('insert into migrations (name) values ($1)', [first?.name]);
  await client.query("insert into workspaces (id, name, created_at) values ($1, 'Support', now())", [workspaceId]);
  await client.query('insert into ticket_counters (workspace_id, last_number) values ($1, 2)', [workspaceId]);
  for (const [id, number, status, mergedIntoId] of [
    [kept, 1, 'open', null],
    [joined, 2, 'closed', kept],
  ]) {
    await client.query(
      `insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel, merged_into_id,
         message_count, last_message_at, created_at, updated_at, version, search)
       values ($1, $2, $3, 'Printer', $4, 'normal', 2, 'email', $5, 0, now(), now(), now(), 1, $6)`,
      [workspaceId, id, number, status, mergedIntoId, `${formerLexeme} printer:1A`],
    );
  }
  for (const search of [`paper:1 jam:2`, many((at) => `${at.toString(36)}x:${Math.min(at + 1, 16_383)}`)])
    await client.query(
      `insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at, search)
       values ($1, $2, $3, 'inbound', 'customer', 'It jams.', now(), $4)`,
      [workspaceId, newId(), kept, `${formerLexeme} ${search}`],
    );
  await client.end();
  await migrate(house.databaseUrl, openLog('silent'));
});

test('a ticket that an import of the first release joined to another is found by its number and can be parted again', async () => {
  const agent = await makeMember(house, workspaceId, 'agent');
  const found = await agent.call('GET', '/tickets?search=%232');
  expect(found.body).toMatchObject([{ id: kept }]);
  const parted = await agent.call('POST', `/tickets/${joined}/unmerge`);
  expect(parted).toMatchObject({
    status: 200,
    body: { ticket: { id: joined, status: 'open', mergedIntoId: null }, target: { id: kept, mergedIntoId: null } },
  });
});

test('every workspace has an inbound address, also one that the first release made while it was still running', async () => {
  const owner = await makeOwner(house);
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`delete from inbound_addresses where workspace_id = ${owner.workspaceId}`);
    await enqueue(tx, 'house.sweep', {});
  });
  await house.drain();
  const rows = await house.app.db.rows<{ localPart: string }>(sql`
    select local_part as "localPart" from inbound_addresses where workspace_id in (${owner.workspaceId}, ${workspaceId})`);
  expect(rows).toHaveLength(2);
});

test('what was written before each word began with its workspace is found, and a vector that would be too large by its words', async () => {
  const agent = await makeMember(house, workspaceId, 'agent');
  const other = await makeOwner(house);
  for (const search of ['prin', '"paper jam"', 'paper -moon', '3x', 'mm9x']) {
    const query = `/tickets?search=${encodeURIComponent(search)}`;
    const found: { id: string }[] = (await agent.call('GET', query)).body;
    expect(found.map(({ id }) => id)).toContain(kept);
    expect((await other.call('GET', query)).body).toEqual([]);
  }
  expect((await agent.call('GET', '/tickets?search=-printer')).body).toEqual([]);
});
