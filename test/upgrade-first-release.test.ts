import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { migrate, readMigrations } from '../src/database/migrate.ts';
import { openLog } from '../src/platform/log.ts';
import { call } from './factories.ts';
import answers from './first-release/answers.json' with { type: 'json' };
import stored from './first-release/stored.json' with { type: 'json' };
import { useHouse } from './harness.ts';

/**
 * `stored.json` has the rows and files of a service of the first release, in an order that foreign keys allow.
 * `answers.json` has what that service answered from them. Here this release takes over the data, and a client goes on
 * that knows only the first release.
 */
const house = useHouse();
const { workspaceId, refreshTokens, repeat, reads } = answers;
type Person = keyof typeof refreshTokens;
const tokens = {} as Record<Person, string>;

beforeAll(async () => {
  const client = new pg.Client({ connectionString: house.databaseUrl });
  await client.connect();
  await client.query('drop schema public cascade; create schema public');
  const [first] = await readMigrations();
  await client.query(first?.text ?? '');
  await client.query('create table migrations (name text primary key, ran_at timestamptz not null default now())');
  await client.query('insert into migrations (name) values ($1)', [first?.name]);
  for (const [table, rows] of Object.entries(stored.tables))
    await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(rows),
    ]);
  // As if the upgrade came on the same day.
  await client.query(`update refresh_tokens set expires_at = now() + interval '1 day'`);
  await client.query('update idempotent_answers set created_at = now()');
  await client.end();
  for (const [path, content] of Object.entries(stored.blobs)) {
    const file = join(house.dataDir, 'blobs', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, Buffer.from(content, 'base64'));
  }
  await migrate(house.databaseUrl, openLog('silent'));
  for (const person of ['ada', 'carl'] as const) {
    const { status, body } = await call(house, 'POST', '/v1/auth/refresh', { refreshToken: refreshTokens[person] });
    expect(status).toBe(200);
    tokens[person] = body.accessToken;
  }
});

const ask = (person: Person, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(house, method, path, body, {
    authorization: `Bearer ${tokens[person]}`,
    'x-workspace-id': workspaceId,
    ...headers,
  });

test('people stay signed in, and every answer still has all that the first release answered', async () => {
  expect(reads.length).toBeGreaterThan(25);
  for (const { as, path, body: before, total } of reads) {
    const { status, headers, body } = await ask(as as Person, 'GET', path);
    expect({ path, status, total: headers.get('x-total-count') ?? undefined }).toEqual({ path, status: 200, total });
    if (typeof before === 'string') expect(body).toBe(before);
    else expect(body).toMatchObject(before);
  }
});

test('the repeat of a request from before the upgrade gets the first answer', async () => {
  const { method, path, key, body, answeredId } = repeat;
  const again = await ask('ada', method, path, body, { 'idempotency-key': key });
  expect({ status: again.status, id: again.body.id }).toEqual({ status: 201, id: answeredId });
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('requests of the first release are still accepted, and answered in its shapes', async () => {
  const tickets = `/v1/workspaces/${workspaceId}/tickets`;
  const created = await ask('carl', 'POST', tickets, repeat.body);
  expect(created.status).toBe(201);
  const shapeOf = (path: RegExp) => Object.keys(reads.find((read) => path.test(read.path))?.body ?? {});
  const ofTicket = shapeOf(/\/tickets\/[^/?]+$/);
  expect(ofTicket).toContain('ticketNumber');
  const { id } = created.body;
  const listed = reads.find(({ path }) => path === tickets)?.body;
  const ofRow = Object.keys(Array.isArray(listed) ? (listed[0] ?? {}) : {});
  expect(ofRow).toContain('version');
  const changes: [string, string, unknown, number, string[]][] = [
    ['PATCH', '', { priority: 'low', tags: ['paper'], assigneeId: null }, 200, ofRow],
    ['POST', '/messages', { body: 'A note.', isInternal: true }, 201, ['id', 'body', 'isInternal', 'createdAt']],
    ['POST', '/status', { toStatus: 'closed', reason: 'It was paper' }, 200, ofRow],
    ['POST', '/archive', {}, 200, ofRow],
    ['POST', '/unarchive', {}, 200, ofRow],
    ['GET', '', undefined, 200, ofTicket],
  ];
  for (const [method, path, body, status, shape] of changes) {
    const answer = await ask('carl', method, `${tickets}/${id}${path}`, body);
    expect({ method, path, status: answer.status }).toEqual({ method, path, status });
    expect(Object.keys(answer.body)).toEqual(expect.arrayContaining(shape));
  }
});
