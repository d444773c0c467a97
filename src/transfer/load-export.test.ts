import { appendFile, cp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeOwner, type Person } from '../../test/factories.ts';
import { buildHouse, type House, useHouse } from '../../test/harness.ts';
import { ingest, liveTicketsOf, mailOf, ticketOf } from '../../test/mails.ts';
import { runService, temporaryFolder } from '../../test/service-process.ts';
import { fillWorkspace } from '../../test/whole-workspace.ts';
import { sql } from '../database/sql.ts';
import { checkExport } from './check-export.ts';
import { loadExport } from './load-export.ts';
import type { Loaded, LoadOptions } from './loading.ts';
import { writeExport } from './write-export.ts';

const house = useHouse();
const place = await temporaryFolder();
let owner: Person;
let folder: string;
let targets = 0;
let target: Awaited<ReturnType<typeof buildHouse>>;

beforeAll(async () => {
  owner = await fillWorkspace(house);
  folder = await exportOf(house, 'original');
});
afterAll(place.remove);
beforeEach(async () => {
  targets += 1;
  target = await buildHouse();
  return () => target.close();
});

async function exportOf({ databaseUrl, app }: House, name: string): Promise<string> {
  const path = join(place.path, name);
  await writeExport(path, { databaseUrl, blobs: app.blobs, workspaceId: owner.workspaceId });
  return path;
}

function load(path: string, options: Partial<LoadOptions> = {}): Promise<Loaded> {
  return loadExport(target.app, path, {
    workspaceId: undefined,
    getsNewNumbers: false,
    storageBytesMax: target.app.config.storageBytesMax,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...options,
  });
}

async function copyOf(change: (path: string) => Promise<unknown>): Promise<string> {
  const path = join(place.path, `copy-${targets}-${Math.random()}`);
  await cp(folder, path, { recursive: true });
  await change(path);
  return path;
}

async function bytesOf(path: string): Promise<Record<string, string>> {
  const bytes: Record<string, string> = {};
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const at = join(entry.parentPath, entry.name);
      bytes[at.slice(path.length + 1)] = await readFile(at, 'latin1');
    }
  return bytes;
}

/** Tickets that lack a message, an event, or their entry among the imported records. */
const halves = () =>
  target.app.db.one<{ count: number; tickets: number }>(sql`
    select count(*) filter (where t.merged_into_id is null and not exists (
        select from messages m where m.workspace_id = ${owner.workspaceId} and m.ticket_id = t.id
      ) or not exists (
        select from activity a where a.workspace_id = ${owner.workspaceId} and a.ticket_id = t.id
      ) or not exists (
        select from imported_records r where r.workspace_id = ${owner.workspaceId} and r.id = t.id
      )) as count, count(*) as tickets
    from tickets t
    where t.workspace_id = ${owner.workspaceId}`);

test('an import that is cut off anywhere leaves no half ticket, and goes on when started again', async () => {
  const text = await readFile(join(folder, 'tickets.jsonl'), 'utf8');
  for (const part of [0.1, 0.35, 0.5, 0.77, 0.98]) {
    const cut = await copyOf((path) => truncate(join(path, 'tickets.jsonl'), Math.floor(text.length * part)));
    const { problems } = await load(cut);
    expect(problems.kept[0]).toMatchObject({ file: 'tickets.jsonl', line: 0, reason: expect.stringMatching(/bytes/) });
    expect(problems.kept.some(({ reason }) => /cut off|no end/.test(reason))).toBe(true);
    expect((await halves()).count).toBe(0);
  }
  const { problems } = await load(folder);
  expect(problems.kept).toEqual([]);
  expect(await bytesOf(await exportOf(target, 'after-cuts'))).toEqual(await bytesOf(folder));
});

test('a killed import goes on where it stopped', async () => {
  const secrets = { AUTH_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'e'.repeat(32) };
  const settings = { DATA_DIR: target.dataDir, DATABASE_URL: target.databaseUrl, LOG_LEVEL: 'warn', ...secrets };
  const start = () => runService(settings, ['src/main.ts', 'import', folder]);
  for (const ticketsMin of [1, 8]) {
    const command = start();
    while (command.process.exitCode === null && (await halves()).tickets < ticketsMin);
    command.process.kill('SIGKILL');
    await command.exited;
    expect((await halves()).count).toBe(0);
  }
  const last = start();
  expect({ ...(await last.exited), output: last.output() }).toMatchObject({ code: 0 });
  expect(await bytesOf(await exportOf(target, 'after-kills'))).toEqual(await bytesOf(folder));
});

test('hostile lines end in a list of problems, and the rest is taken', async () => {
  const deep = `{"kind":"event","data":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`;
  const id = '01a20da0-0000-7000-8000-00000000000';
  const ticket = (n: number, more: object = {}) => ({
    kind: 'ticket',
    id: `${id}${n}`,
    number: 20 + n,
    subject: 'Hostile',
    status: 'open',
    channel: 'api',
    createdAt: '2026-01-01T00:00:00Z',
    ...more,
  });
  const message = { kind: 'message', id: `${id}0`, direction: 'inbound', authorType: 'system', body: 'b' };
  const attachment = { id: `${id}0`, fileName: 'x', contentType: 'x', sizeBytes: 1, createdAt: '2026-01-01T00:00:00Z' };
  const lines = [
    'not json',
    '[]',
    'null',
    '{"kind":"__proto__"}',
    '{"kind":"end","lines":0}',
    deep,
    JSON.stringify(ticket(1, { subject: 'a\u0000b' })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(2, { number: 999_999 })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(3, { tenant: 'other' })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(4, { createdAt: '2026-99-99T00:00:00Z' })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(5, { mergedIntoId: `${id}5` })),
    '{"kind":"end","lines":1}',
    JSON.stringify(ticket(6)),
    JSON.stringify({ ...message, createdAt: '2026-01-01T00:00:00Z', deliveryStatus: 'queued' }),
    '{"kind":"end","lines":2}',
    JSON.stringify(ticket(7)),
    JSON.stringify({
      ...message,
      createdAt: '2026-01-01T00:00:00Z',
      attachments: [{ ...attachment, sha256: '../../../../etc/passwd' }],
    }),
    '{"kind":"end","lines":2}',
    JSON.stringify(ticket(8)),
    JSON.stringify({
      ...message,
      createdAt: '2026-01-01T00:00:00Z',
      attachments: [{ ...attachment, sha256: 'a'.repeat(64) }],
    }),
    '{"kind":"end","lines":2}',
    JSON.stringify(ticket(9)),
    '{"kind":"end","lines":7}',
    JSON.stringify(ticket(9)),
    JSON.stringify({ ...message, createdAt: '2026-01-01T00:00:00Z', threading: { isSenderKnown: 'maybe' } }),
    '{"kind":"end","lines":2}',
  ];
  const hostile = await copyOf(async (path) => {
    const workspace = await readFile(join(path, 'workspace.jsonl'), 'utf8');
    const more = workspace.replace(/"lastTicketNumber":\d+/, '"lastTicketNumber":100');
    await writeFile(join(path, 'workspace.jsonl'), more);
    await appendFile(join(path, 'tickets.jsonl'), `${lines.join('\n')}\n\xff\n`, 'latin1');
    await appendFile(join(path, 'contacts.jsonl'), `{"id":"x"}\n${JSON.stringify({ id: `${id}0`, email: 'no' })}\n`);
    const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
    const kept = { id: `${id}0`, createdBy: owner.userId, name: 'Hostile', ...times };
    const view = JSON.stringify({ ...kept, query: { search: { text: 'x' } } });
    await appendFile(join(path, 'views.jsonl'), `{"id":1}\n${view}\n`);
    const reply = JSON.stringify({ ...kept, body: 'b', actions: { addTags: 'x' } });
    await appendFile(join(path, 'saved-replies.jsonl'), `${reply}\n`);
  });
  const before = (await readFile(join(folder, 'tickets.jsonl'), 'utf8')).split('\n').length - 1;
  const { problems } = await load(hostile);
  const reasons = problems.kept
    .filter(({ file, line }) => file === 'tickets.jsonl' && line > 0)
    .map(({ line, reason }) => `${line - before} ${reason}`);
  const expected = [
    /^1 is not JSON/,
    /^2 has no known kind/,
    /^3 has no known kind/,
    /^4 has no known kind/,
    /^5 end without a ticket/,
    /^6 event without a ticket/,
    /^7 .*unsupported Unicode/,
    /^9 the number is above lastTicketNumber/,
    /^11 \/tenant /,
    /^13 .*out of range/,
    /^15 the ticket was merged into itself/,
    /^18 \/deliveryStatus/,
    /^21 \/attachments\/0\/sha256/,
    /^23 files\/aa\/a+ is missing/,
    /^27 the ticket has 1 lines instead of 7/,
    /^29 \/threading\/isSenderKnown/,
    /^31 is not UTF-8/,
  ];
  for (const reason of expected) expect(reasons).toContainEqual(expect.stringMatching(reason));
  expect(reasons).toHaveLength(expected.length);
  expect(problems.kept.filter(({ file }) => file === 'contacts.jsonl')).toHaveLength(3);
  for (const [name, count] of [
    ['views', 2],
    ['saved-replies', 1],
  ] as const)
    expect(problems.kept.filter(({ file, line }) => file === `${name}.jsonl` && line > 0)).toHaveLength(count);
  const files = await bytesOf(await exportOf(target, `after-hostile-${targets}`));
  expect(files['tickets.jsonl']).toBe((await bytesOf(folder))['tickets.jsonl']);
  const checked = await checkExport(hostile, new AbortController().signal);
  expect(checked.problems.kept.map(({ line }) => line)).toContain(before + 23);
});

test('damaged and missing files refuse their ticket alone, and a repaired export brings it', async () => {
  const [path = ''] = Object.keys(await bytesOf(folder)).filter((name) => name.startsWith('files/'));
  const { length } = await readFile(join(folder, path));
  const damaged = await copyOf((copy) => writeFile(join(copy, path), 'x'.repeat(length)));
  const first = await load(damaged);
  expect(first.problems.kept).toEqual([expect.objectContaining({ reason: `${path} is damaged` })]);
  await rm(join(damaged, path));
  expect((await load(damaged)).problems.kept).toEqual([expect.objectContaining({ reason: `${path} is missing` })]);
  expect((await load(folder)).problems.kept).toEqual([]);
  expect(await bytesOf(await exportOf(target, `repaired-${targets}`))).toEqual(await bytesOf(folder));
});

test.each(['manifest.json', 'tickets.jsonl'])(
  'a link in place of %s is refused, whatever it leads to',
  async (name) => {
    const hostile = await copyOf(async (path) => {
      await rm(join(path, name));
      await symlink('/dev/zero', join(path, name));
    });
    await expect(load(hostile)).rejects.toThrow(/no manifest.json|tickets.jsonl in .* is no plain file/);
  },
);

test('hostile HTML passes the sanitizer', async () => {
  const hostile = await copyOf(async (path) => {
    const text = await readFile(join(path, 'tickets.jsonl'), 'utf8');
    await writeFile(join(path, 'tickets.jsonl'), text.replaceAll('<b>bold</b>', '<img src=x onerror=alert(1)>'));
  });
  await load(hostile);
  const { count } = await target.app.db.one<{ count: number }>(sql`
    select count(*) from messages where body_html like '%onerror%'`);
  expect(count).toBe(0);
});

/** The owner of the export, with an account in the target. */
async function ownerThere(): Promise<Person> {
  const someone = await makeOwner(target, 'Another');
  await target.app.db.tx((tx) =>
    tx.run(sql`
      insert into members (workspace_id, user_id, role, created_at)
      values (${owner.workspaceId}, ${someone.userId}, 'owner', ${tx.now})`),
  );
  return {
    ...someone,
    workspaceId: owner.workspaceId,
    call: (method, path, body) =>
      someone.call(method, `/v1/workspaces/${owner.workspaceId}${path}`, body, { 'x-workspace-id': owner.workspaceId }),
  };
}

test('a reply to mail of the other service joins its ticket, and a person finds what was imported', async () => {
  await load(folder);
  const there = await ownerThere();
  const reply = { Subject: 'Something else', From: 'New <new@example.net>', 'In-Reply-To': '<one-more@example.org>' };
  await ingest(target, there, [mailOf({ headers: reply })]);
  const found = (await liveTicketsOf(there)).find(({ subject }) => subject === 'The printer is on fire');
  const ticket = await ticketOf(there, found.id);
  expect(ticket.messages.at(-1)).toMatchObject({ author: { email: 'new@example.net' } });
  const search = await there.call('GET', '/tickets?search=plan.txt');
  expect(search.body.length).toBeGreaterThan(1);
  const next = await there.call('POST', '/tickets', { subject: 'Next', body: 'b' });
  const numbers = (await liveTicketsOf(there)).map(({ ticketNumber }) => ticketNumber);
  expect(Math.max(...numbers)).toBe(next.body.ticketNumber);
  expect(new Set(numbers).size).toBe(numbers.length);
});

const ticketNamed = (subject: string) =>
  target.app.db.one<{ id: string }>(sql`
    select id from tickets where workspace_id = ${owner.workspaceId} and subject = ${subject}`);

test('a later export brings only what has changed, and leaves the work of people here', async () => {
  await load(folder);
  const there = await ownerThere();
  const touched = await ticketNamed('Old');
  await there.call('PATCH', `/tickets/${touched.id}`, { subject: 'Changed here', snoozedUntil: null });
  const deleted = await ticketNamed('A fourth');
  await there.call('DELETE', `/tickets/${deleted.id}`);
  expect((await there.call('POST', `/tickets/${deleted.id}/purge`)).status).toBeLessThan(300);
  // Meanwhile at the other service:
  await ingest(house, owner, [
    mailOf({ headers: { 'In-Reply-To': '<old@example.org>', From: 'Eve <eve@example.org>' } }),
  ]);
  await ingest(house, owner, [
    mailOf({ headers: { 'In-Reply-To': '<one@example.org>', From: 'Ann <ann@example.org>' } }),
  ]);
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Brand new', From: 'Fay <fay@example.org>' } })]);
  const [first, split] = (await liveTicketsOf(owner)).filter(({ messageCount }) => messageCount > 3);
  expect(split).toBeUndefined();
  const [, moved] = (await ticketOf(owner, first.id)).messages;
  const parted = await owner.call('POST', `/tickets/${first.id}/split`, {
    messageIds: [moved.id],
    newSubject: 'Parted',
  });
  expect(parted.status).toBeLessThan(300);
  const later = await exportOf(house, `later-${targets}`);
  const { totals, problems } = await load(later);
  expect(problems.kept).toEqual([]);
  // Besides both tickets with new mail, the two that were merged into one of them: a message left their merges.
  expect(totals.tickets).toMatchObject({ new: 2, updated: 4 });
  expect(totals.contacts).toMatchObject({ new: 1, updated: 0 });
  expect(await ticketOf(there, touched.id)).toMatchObject({ subject: 'Changed here', messageCount: 2 });
  expect(await ticketOf(there, first.id)).toMatchObject({
    messageCount: (await ticketOf(owner, first.id)).messageCount,
  });
  expect((await liveTicketsOf(there)).map(({ subject }) => subject)).toContain('Parted');
  expect((await there.call('GET', `/tickets/${deleted.id}`)).status).toBe(404);
  const again = await load(later);
  expect(again.totals.tickets).toMatchObject({ new: 0, updated: 0 });
});

test('into a workspace that is in use: people are found by address, and numbers may be new', async () => {
  const there = await makeOwner(target, 'In use');
  const agent = await house.app.db.one<{ id: string; email: string }>(sql`
    select id, email from users where name = 'Ada'`);
  await target.app.db.tx((tx) =>
    tx.run(sql`update users set email = ${agent.email}, email_key = ${agent.email} where id = ${there.userId}`),
  );
  await ingest(target, there, [mailOf({ headers: { From: 'Known Ann <ann@example.org>', Subject: 'Here' } })]);
  const refused = await load(folder, { workspaceId: there.workspaceId });
  expect(refused.problems.kept.map(({ reason }) => reason)).toContain(
    'another ticket has the number 1: import with --new-numbers',
  );
  const { problems } = await load(folder, { workspaceId: there.workspaceId, getsNewNumbers: true });
  expect(problems.kept).toEqual([]);
  const tickets = await liveTicketsOf(there);
  const first = await ticketOf(there, tickets.find(({ subject }) => subject === 'The printer is on fire').id);
  const own = tickets.find(({ subject }) => subject === 'Here');
  expect(first).toMatchObject({ assigneeId: there.userId, requester: { contactId: own.requester.contactId } });
  expect(first.ticketNumber).toBeGreaterThan(own.ticketNumber);
  const [assigned] = (await there.call('GET', `/tickets/${first.id}/events`)).body.items.filter(
    ({ type }: any) => type === 'ticket.assigned',
  );
  expect(assigned.data.to).toBe(there.userId);
  const views = (await there.call('GET', '/views')).body;
  expect(JSON.stringify(views)).toContain(`"assignee":"${there.userId}"`);
});

test('nothing of an import replaces what people made here', async () => {
  await load(folder);
  const other = await makeOwner(target, 'Other');
  const ids = (await readFile(join(folder, 'tickets.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('{"kind":"ticket"'))
    .map((line) => JSON.parse(line).id);
  await target.app.db.tx((tx) =>
    tx.run(sql`
      delete from imported_records where workspace_id = ${owner.workspaceId} and kind = 'ticket' and id = ${ids[0]}`),
  );
  const before = await bytesOf(await exportOf(target, `before-clash-${targets}`));
  const { problems } = await load(folder);
  expect(problems.kept).toEqual([
    expect.objectContaining({ reason: 'a ticket with this id is here already, and came from no import' }),
  ]);
  expect(await bytesOf(await exportOf(target, `after-clash-${targets}`))).toEqual(before);
  expect(await liveTicketsOf(other)).toEqual([]);
});

test('the command ends with the problems and another exit code', async () => {
  const secrets = { AUTH_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'e'.repeat(32) };
  const settings = { DATA_DIR: target.dataDir, DATABASE_URL: target.databaseUrl, LOG_LEVEL: 'warn', ...secrets };
  const broken = await copyOf((path) => appendFile(join(path, 'views.jsonl'), '{"id":"\u001b[2J"}\n'));
  const run = async (...args: string[]) => {
    const command = runService(settings, ['src/main.ts', 'import', ...args]);
    const { code } = await command.exited;
    return { code, output: command.output() };
  };
  const tried = await run('--dry-run', broken);
  expect(tried).toMatchObject({ code: 1, output: expect.stringMatching(/views\.jsonl:2: /) });
  expect(tried.output).not.toContain('\u001b');
  expect(await target.app.db.one(sql`select count(*) from workspaces`)).toEqual({ count: 0 });
  expect(await run(broken)).toMatchObject({ code: 1, output: expect.stringMatching(/tickets +\d\d +0 +0\n/) });
  expect(await run(folder)).toMatchObject({ code: 0, output: expect.stringMatching(/tickets +0 +0 +\d\d\n/) });
  expect(await run('--workspace', 'Nowhere', folder)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/There is no workspace/),
  });
});

test('a person who was erased here stays erased, whatever a later export says', async () => {
  await load(folder);
  const { db } = target.app;
  const { workspaceId } = owner;
  const read = () =>
    db.rows<{ email: string }>(sql`
      select email from contacts where workspace_id = ${workspaceId} and erased_at is not null order by id`);
  const before = await read();
  await db.tx((tx) =>
    tx.run(sql`
      update contacts set email = 'erased-' || id, email_key = 'erased-' || id, name = null, erased_at = ${tx.now}
      where workspace_id = ${workspaceId} and erased_at is null and merged_into_id is null`),
  );
  const changed = await copyOf(async (path) => {
    const contacts = join(path, 'contacts.jsonl');
    const text = await readFile(contacts, 'utf8');
    await writeFile(contacts, text.replaceAll('"createdAt":"2', '"nameClaim":null,"createdAt":"2'));
    const records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { id: requesterId } = records.find(({ erasedAt, mergedIntoId }) => erasedAt == null && mergedIntoId == null);
    const workspace = await readFile(join(path, 'workspace.jsonl'), 'utf8');
    const more = workspace.replace(/"lastTicketNumber":\d+/, '"lastTicketNumber":99');
    await writeFile(join(path, 'workspace.jsonl'), more);
    const id = '01a20da0-0000-7000-8000-000000000001';
    const ticket = { kind: 'ticket', id, number: 99, subject: 'Theirs', status: 'open', channel: 'api' };
    const lines = [
      { ...ticket, requesterId, createdAt: '2026-01-01T00:00:00Z' },
      { kind: 'end', lines: 1 },
    ];
    await appendFile(join(path, 'tickets.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  const { problems } = await load(changed);
  expect(problems.kept.map(({ reason }) => reason)).toContain('the ticket is of a person who was erased here');
  const after = await read();
  expect(after.length).toBeGreaterThan(before.length);
  expect(after.every(({ email }) => email.startsWith('erased-'))).toBe(true);
});

test('a manifest names no file beside those of an export', async () => {
  const hostile = await copyOf(async (path) => {
    const manifest = join(path, 'manifest.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('views.jsonl', '../../../../../dev/zero'));
  });
  await expect(load(hostile)).rejects.toThrow(/damaged/);
});
