import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHouse, type House, useHouse } from '../../../test/harness/harness.ts';
import { temporaryFolder } from '../../../test/harness/service-process.ts';
import { bytesOf } from '../../../test/worlds/export-desk.ts';
import { call, type Person } from '../../../test/worlds/factories.ts';
import { fillWorkspace } from '../../../test/worlds/whole-workspace.ts';
import { type TableName, tableNames, tables } from '../../ground/catalog/tables/tables.ts';
import { openDump } from '../../ground/database/dump-tables.ts';
import { sql } from '../../ground/database/sql.ts';
import { loadExport } from './load-export.ts';
import type { Loaded, LoadOptions } from './loading.ts';
import { writeExport } from './write-export.ts';

const house = useHouse();
const place = await temporaryFolder();
let target: Awaited<ReturnType<typeof buildHouse>>;
let owner: Person;
let folder: string;

beforeAll(async () => {
  owner = await fillWorkspace(house);
  folder = await exportOf(house, 'original');
  target = await buildHouse();
});
afterAll(async () => {
  await target?.close();
  await place.remove();
});

async function exportOf({ databaseUrl, app }: House, name: string): Promise<string> {
  const path = join(place.path, name);
  await writeExport(path, { databaseUrl, blobs: app.blobs, workspaceId: owner.workspaceId });
  return path;
}

function load({ app }: House, path: string, options: Partial<LoadOptions> = {}): Promise<Loaded> {
  return loadExport(app, path, {
    workspaceId: undefined,
    getsNewNumbers: false,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...options,
  });
}

/** All rows of the workspace, by table. */
async function rowsOf({ databaseUrl }: House): Promise<Record<string, any[]>> {
  await using dump = await openDump(databaseUrl);
  const rows: Record<string, any[]> = {};
  for (const { schema, name, columns } of dump.tables) {
    if (schema !== 'public' || !columns.includes('workspace_id')) continue;
    const statement = `select to_jsonb(x) from ${name} x where workspace_id = '${owner.workspaceId}' order by x::text`;
    const lines = (await text(dump.copyQuery(statement).bytes)).split('\n').slice(0, -1);
    rows[name] = lines.map((line) => JSON.parse(line.replaceAll('\\\\', '\\')));
  }
  return rows;
}

/** The columns that an import fills with its own values, and why. A column that is left out and not here is empty. */
const ownColumns: Partial<Record<TableName, Record<string, string>>> = {
  activity: { transaction_id: 'the place in the order of this service' },
  mail_ids: { ticket_id: 'follows its message, as a look-up does' },
  rules: { paused_reason: 'rules arrive paused' },
  mailboxes: { refresh_token: 'credentials', status_changed_at: 'the import disconnects the mailbox' },
  raw_mails: {
    acknowledged_at: 'whether the same bytes by SMTP are the same mail',
    arrived_again_at: 'whether the same bytes by SMTP are the same mail',
    is_old: 'counts until the mail is ingested',
  },
  messages: {
    delivery_status: 'an answer that waited is uncertain in an import',
    delivery_next_attempt_at: 'an import sends nothing',
    handing_over_at: 'an import sends nothing',
    changed_ticket: 'what can be undone while an answer waits',
  },
  tickets: { delivery_problem: 'counts what an import has not sent', summary_version: 'the way of this release' },
};

test('an import into an empty database makes the same export, byte for byte', async () => {
  const { problems, totals } = await load(target, folder);
  expect(problems.kept).toEqual([]);
  expect(totals.tickets.new).toBeGreaterThan(10);
  expect(await bytesOf(await exportOf(target, 'again'))).toEqual(await bytesOf(folder));
});

test('every row and column is the same, except those that are left out', async () => {
  const [original, copy] = [await rowsOf(house), await rowsOf(target)];
  const withoutOwn = (table: TableName, rows: any[]) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !(name in (ownColumns[table] ?? {})))));
  const compared = tableNames.filter(
    (name) => name in original && tables[name].leftOut === undefined && name !== 'attachments',
  );
  expect(compared.length).toBeGreaterThan(15);
  for (const name of compared) {
    expect({ name, rows: original[name]?.length }).not.toEqual({ name, rows: 0 });
    const facts = (rows: any[] = []) => (name === 'activity' ? rows.filter((row) => row.ticket_id !== null) : rows);
    const key = (row: any) => JSON.stringify(row);
    expect({ name, rows: withoutOwn(name, facts(copy[name])).map(key).sort() }).toEqual({
      name,
      rows: withoutOwn(name, facts(original[name])).map(key).sort(),
    });
  }
});

test('an import tells nobody: no notification, webhook, mail or live update', async () => {
  const silent = await buildHouse();
  try {
    await load(silent, folder);
    const { app } = silent;
    await app.db.tx((tx) =>
      tx.run(sql`
        insert into webhooks (workspace_id, id, url, events, status, secret, read_transaction_id, read_id,
          created_by_id, created_at, updated_at)
        values (${owner.workspaceId}, ${tx.newId()}, 'https://example.org/hook', '{}', 'active', 'x', '4',
          ${tx.newId()}, ${owner.userId}, ${tx.now}, ${tx.now})`),
    );
    await silent.drain();
    const told = await app.db.one(sql`
      select (select count(*) from notifications) as notifications, (select count(*) from webhook_deliveries) as hooks,
        (select count(*) from unread_tickets) as unread,
        (select count(*) from messages where delivery_status in ('scheduled', 'queued', 'sending')) as waiting,
        (select count(*) from graphile_worker.jobs) as jobs`);
    expect(told).toEqual({ notifications: 0, hooks: 0, unread: 0, waiting: 0, jobs: 0 });
    expect(await silent.outbox()).toEqual([]);
  } finally {
    await silent.close();
  }
});

test('a second import of the same export takes nothing', async () => {
  const before = await rowsOf(target);
  const { totals, problems } = await load(target, folder);
  expect(problems.kept).toEqual([]);
  for (const counts of Object.values(totals)) expect({ ...counts, known: 0 }).toEqual({ new: 0, updated: 0, known: 0 });
  expect(await rowsOf(target)).toEqual(before);
});

test('an account that an import makes has no password', async () => {
  const users = await target.app.db.rows(sql`
    select count(*) filter (where password_hash is not null or email_verified_at is not null) as open, count(*) as all
    from users`);
  expect(users).toEqual([{ open: 0, all: 3 }]);
  const password = { provider: 'local', email: owner.email, password: 'correct horse battery staple' };
  const signIn = await call(target, 'POST', '/v1/auth/session', password);
  expect(signIn.status).toBe(401);
  expect((await call(target, 'POST', '/v1/auth/forgot-password', { email: owner.email })).status).toBeLessThan(300);
  await target.drain();
  expect((await target.outbox()).filter((mail) => mail.includes(`To: ${owner.email}`))).toHaveLength(1);
});
