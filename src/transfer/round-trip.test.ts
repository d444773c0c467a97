import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesOf } from '../../test/export-desk.ts';
import { call, type Person } from '../../test/factories.ts';
import { buildHouse, type House, useHouse } from '../../test/harness.ts';
import { temporaryFolder } from '../../test/service-process.ts';
import { fillWorkspace } from '../../test/whole-workspace.ts';
import { openDump } from '../database/dump-tables.ts';
import { sql } from '../database/sql.ts';
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
    storageBytesMax: app.config.storageBytesMax,
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

/** The tables that an import leaves out, and why. */
const leftOut: Record<string, string> = {
  api_keys: 'secrets',
  bulk_change_tickets: 'what can be undone for a day',
  bulk_changes: 'a list of the last month',
  erasures: 'proofs that each service keeps of its own',
  idempotent_answers: 'answers to programs of the other service',
  imported_records: 'what came from imports',
  inbound_addresses: 'each workspace has an address and a key of its own',
  invites: 'links that expire',
  link_tokens: 'secrets',
  loose_blobs: 'work of the sweep',
  mail_import_files: 'a list of the last months',
  mail_imports: 'a list of the last months',
  mailbox_consents: 'a moment of connecting a mailbox',
  ingest_leases: 'a lease of a process',
  mailbox_listeners: 'the state of reading a mailbox',
  mailbox_after_intake: 'the state of reading a mailbox',
  mailbox_mails: 'the state of reading a mailbox',
  mailbox_routes: 'the state of reading a mailbox',
  mailbox_sends: 'the state of sending through a mailbox',
  mailbox_servers: 'credentials',
  mailbox_sign_ins: 'a moment of connecting a mailbox',
  mailbox_stuck_mails: 'the state of reading a mailbox',
  mailbox_syncs: 'the state of reading a mailbox',
  mailbox_watches: 'the state of reading a mailbox',
  mailed_recipients: 'a limit of each service',
  notification_digests: 'of people rather than of the workspace',
  notifications: 'of people rather than of the workspace',
  remote_images: 'copies of what the web has',
  saved_reply_uses: 'of people rather than of the workspace',
  sessions: 'secrets',
  sign_in_challenges: 'secrets',
  unfiled_copies: 'the state of sending through a mailbox',
  unread_tickets: 'of people rather than of the workspace',
  webhook_deliveries: 'a log of webhooks',
  webhooks: 'secrets',
  storage_reservations: 'uploads under way',
  workspace_storage: 'a count that each service makes',
};

/** Columns that an import fills with its own values. */
const ownColumns: Record<string, readonly string[]> = {
  activity: ['transaction_id'],
  // Follows its message, as a look-up does.
  mail_ids: ['ticket_id'],
  mailboxes: ['refresh_token', 'status_changed_at'],
  // Whether the same bytes by SMTP are the same mail.
  raw_mails: ['acknowledged_at', 'arrived_again_at', 'is_old'],
  messages: ['delivery_status', 'delivery_next_attempt_at', 'handing_over_at', 'changed_ticket'],
  tickets: ['delivery_problem', 'summary_version'],
};

test('an import into an empty database makes the same export, byte for byte', async () => {
  const { problems, totals } = await load(target, folder);
  expect(problems.kept).toEqual([]);
  expect(totals.tickets.new).toBeGreaterThan(10);
  expect(await bytesOf(await exportOf(target, 'again'))).toEqual(await bytesOf(folder));
});

test('every row and column is the same, except those that are left out', async () => {
  const [original, copy] = [await rowsOf(house), await rowsOf(target)];
  const withoutOwn = (table: string, rows: any[]) =>
    rows.map((row) => ({ ...row, ...Object.fromEntries((ownColumns[table] ?? []).map((name) => [name, null])) }));
  const compared = Object.keys(original).filter((name) => !(name in leftOut) && name !== 'attachments');
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
        (select count(*) from messages where delivery_status in ('queued', 'sending')) as waiting,
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
