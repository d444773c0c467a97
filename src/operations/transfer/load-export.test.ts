import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runService } from '../../../test/harness/service-process.ts';
import { bytesOf, useExportDesk } from '../../../test/worlds/export-desk.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, liveTicketsOf, mailOf, ticketOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const desk = await useExportDesk();

/** Tickets that lack a message, an event, or their entry among the imported records. */
const halves = () =>
  desk.target.app.db.one<{ count: number; tickets: number }>(sql`
    select count(*) filter (where t.merged_into_id is null and not exists (
        select from messages m where m.workspace_id = ${desk.owner.workspaceId} and m.ticket_id = t.id
      ) or not exists (
        select from activity a where a.workspace_id = ${desk.owner.workspaceId} and a.ticket_id = t.id
      ) or not exists (
        select from imported_records r where r.workspace_id = ${desk.owner.workspaceId} and r.id = t.id
      )) as count, count(*) as tickets
    from tickets t
    where t.workspace_id = ${desk.owner.workspaceId}`);

test('an import that is cut off anywhere leaves no half ticket, and goes on when started again', async () => {
  const text = await readFile(join(desk.folder, 'tickets.jsonl'), 'utf8');
  for (const part of [0.1, 0.35, 0.5, 0.77, 0.98]) {
    const cut = await desk.copyOf((path) => truncate(join(path, 'tickets.jsonl'), Math.floor(text.length * part)));
    const { problems } = await desk.load(cut);
    expect(problems.kept[0]).toMatchObject({ file: 'tickets.jsonl', line: 0, reason: expect.stringMatching(/bytes/) });
    expect(problems.kept.some(({ reason }) => /cut off|no end/.test(reason))).toBe(true);
    expect((await halves()).count).toBe(0);
  }
  const { problems } = await desk.load(desk.folder);
  expect(problems.kept).toEqual([]);
  expect(await bytesOf(await desk.exportOf(desk.target, 'after-cuts'))).toEqual(await bytesOf(desk.folder));
});

test('a killed import goes on where it stopped', async () => {
  const secrets = { AUTH_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'e'.repeat(32) };
  const settings = {
    DATA_DIR: desk.target.dataDir,
    DATABASE_URL: desk.target.databaseUrl,
    LOG_LEVEL: 'warn',
    ...secrets,
  };
  const start = () => runService(settings, ['src/main.ts', 'import', desk.folder]);
  for (const ticketsMin of [1, 8]) {
    const command = start();
    while (command.process.exitCode === null && (await halves()).tickets < ticketsMin);
    command.process.kill('SIGKILL');
    await command.exited;
    expect((await halves()).count).toBe(0);
  }
  const last = start();
  expect({ ...(await last.exited), output: last.output() }).toMatchObject({ code: 0 });
  expect(await bytesOf(await desk.exportOf(desk.target, 'after-kills'))).toEqual(await bytesOf(desk.folder));
});

/** The desk.owner of the export, with an account in the desk.target. */
async function ownerThere(): Promise<Person> {
  const someone = await makeOwner(desk.target, 'Another');
  await desk.target.app.db.tx((tx) =>
    tx.run(sql`
      insert into members (workspace_id, user_id, role, created_at)
      values (${desk.owner.workspaceId}, ${someone.userId}, 'owner', ${tx.now})`),
  );
  return {
    ...someone,
    workspaceId: desk.owner.workspaceId,
    call: (method, path, body) =>
      someone.call(method, `/v1/workspaces/${desk.owner.workspaceId}${path}`, body, {
        'x-workspace-id': desk.owner.workspaceId,
      }),
  };
}

test('a reply to mail of the other service joins its ticket, and a person finds what was imported', async () => {
  await desk.load(desk.folder);
  const there = await ownerThere();
  const reply = { Subject: 'Something else', From: 'New <new@example.net>', 'In-Reply-To': '<one-more@example.org>' };
  await ingest(desk.target, there, [mailOf({ headers: reply })]);
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
  desk.target.app.db.one<{ id: string }>(sql`
    select id from tickets where workspace_id = ${desk.owner.workspaceId} and subject = ${subject}`);

test('a later export brings only what has changed, and leaves the work of people here', async () => {
  await desk.load(desk.folder);
  const there = await ownerThere();
  const touched = await ticketNamed('Old');
  await there.call('PATCH', `/tickets/${touched.id}`, { subject: 'Changed here', snoozedUntil: null });
  const deleted = await ticketNamed('A fourth');
  await there.call('DELETE', `/tickets/${deleted.id}`);
  expect((await there.call('POST', `/tickets/${deleted.id}/purge`)).status).toBeLessThan(300);
  // Meanwhile at the other service:
  await ingest(desk.house, desk.owner, [
    mailOf({ headers: { 'In-Reply-To': '<old@example.org>', From: 'Eve <eve@example.org>' } }),
  ]);
  await ingest(desk.house, desk.owner, [
    mailOf({ headers: { 'In-Reply-To': '<one@example.org>', From: 'Ann <ann@example.org>' } }),
  ]);
  await ingest(desk.house, desk.owner, [mailOf({ headers: { Subject: 'Brand new', From: 'Fay <fay@example.org>' } })]);
  const [first, split] = (await liveTicketsOf(desk.owner)).filter(({ messageCount }) => messageCount > 3);
  expect(split).toBeUndefined();
  const [, moved] = (await ticketOf(desk.owner, first.id)).messages;
  const parted = await desk.owner.call('POST', `/tickets/${first.id}/split`, {
    messageIds: [moved.id],
    newSubject: 'Parted',
  });
  expect(parted.status).toBeLessThan(300);
  const later = await desk.exportOf(desk.house, 'later');
  const { totals, problems } = await desk.load(later);
  expect(problems.kept).toEqual([]);
  // Besides both tickets with new mail, the two that were merged into one of them: a message left their merges.
  expect(totals.tickets).toMatchObject({ new: 2, updated: 4 });
  expect(totals.contacts).toMatchObject({ new: 1, updated: 0 });
  expect(await ticketOf(there, touched.id)).toMatchObject({ subject: 'Changed here', messageCount: 2 });
  expect(await ticketOf(there, first.id)).toMatchObject({
    messageCount: (await ticketOf(desk.owner, first.id)).messageCount,
  });
  expect((await liveTicketsOf(there)).map(({ subject }) => subject)).toContain('Parted');
  expect((await there.call('GET', `/tickets/${deleted.id}`)).status).toBe(404);
  const again = await desk.load(later);
  expect(again.totals.tickets).toMatchObject({ new: 0, updated: 0 });
});

test('into a workspace that is in use: people are found by address, and numbers may be new', async () => {
  const there = await makeOwner(desk.target, 'In use');
  const agent = await desk.house.app.db.one<{ id: string; email: string }>(sql`
    select id, email from users where name = 'Ada'`);
  await desk.target.app.db.tx((tx) =>
    tx.run(sql`update users set email = ${agent.email}, email_key = ${agent.email} where id = ${there.userId}`),
  );
  await ingest(desk.target, there, [mailOf({ headers: { From: 'Known Ann <ann@example.org>', Subject: 'Here' } })]);
  const refused = await desk.load(desk.folder, { workspaceId: there.workspaceId });
  expect(refused.problems.kept.map(({ reason }) => reason)).toContain(
    'another ticket has the number 1: import with --new-numbers',
  );
  const { problems } = await desk.load(desk.folder, { workspaceId: there.workspaceId, getsNewNumbers: true });
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
  await desk.load(desk.folder);
  const other = await makeOwner(desk.target, 'Other');
  const ids = (await readFile(join(desk.folder, 'tickets.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('{"kind":"ticket"'))
    .map((line) => JSON.parse(line).id);
  await desk.target.app.db.tx((tx) =>
    tx.run(sql`
      delete from imported_records
      where workspace_id = ${desk.owner.workspaceId} and kind = 'ticket' and id = ${ids[0]}`),
  );
  const before = await bytesOf(await desk.exportOf(desk.target, 'before-clash'));
  const { problems } = await desk.load(desk.folder);
  expect(problems.kept).toEqual([
    expect.objectContaining({ reason: 'a ticket with this id is here already, and came from no import' }),
  ]);
  expect(await bytesOf(await desk.exportOf(desk.target, 'after-clash'))).toEqual(before);
  expect(await liveTicketsOf(other)).toEqual([]);
});

test('the command ends with the problems and another exit code', async () => {
  const secrets = { AUTH_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'e'.repeat(32) };
  const settings = {
    DATA_DIR: desk.target.dataDir,
    DATABASE_URL: desk.target.databaseUrl,
    LOG_LEVEL: 'warn',
    ...secrets,
  };
  const broken = await desk.copyOf((path) => appendFile(join(path, 'views.jsonl'), '{"id":"\u001b[2J"}\n'));
  const run = async (...args: string[]) => {
    const command = runService(settings, ['src/main.ts', 'import', ...args]);
    const { code } = await command.exited;
    return { code, output: command.output() };
  };
  const tried = await run('--dry-run', broken);
  expect(tried).toMatchObject({ code: 1, output: expect.stringMatching(/views\.jsonl:2: /) });
  expect(tried.output).not.toContain('\u001b');
  expect(await desk.target.app.db.one(sql`select count(*) from workspaces`)).toEqual({ count: 0 });
  expect(await run(broken)).toMatchObject({ code: 1, output: expect.stringMatching(/tickets +\d\d +0 +0\n/) });
  const again = await run(desk.folder);
  expect(again).toMatchObject({ code: 0, output: expect.stringMatching(/tickets +0 +0 +\d\d\n/) });
  const rows = again.output.split('\n').filter((line) => /^ {2}.*\d$/.test(line));
  expect(rows.length).toBeGreaterThan(5);
  expect(new Set(rows.map((row) => row.length)).size).toBe(1);
  expect(await run('--workspace', 'Nowhere', desk.folder)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/There is no workspace/),
  });
});

test('a person who was erased here stays erased, whatever a later export says', async () => {
  await desk.load(desk.folder);
  const { db } = desk.target.app;
  const { workspaceId } = desk.owner;
  const read = () =>
    db.rows<{ email: string }>(sql`
      select email from contacts where workspace_id = ${workspaceId} and erased_at is not null order by id`);
  const before = await read();
  await db.tx((tx) =>
    tx.run(sql`
      update contacts set email = 'erased-' || id, email_key = 'erased-' || id, name = null, erased_at = ${tx.now}
      where workspace_id = ${workspaceId} and erased_at is null and merged_into_id is null`),
  );
  const changed = await desk.copyOf(async (path) => {
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
  const { problems } = await desk.load(changed);
  expect(problems.kept.map(({ reason }) => reason)).toContain('the ticket is of a person who was erased here');
  const after = await read();
  expect(after.length).toBeGreaterThan(before.length);
  expect(after.every(({ email }) => email.startsWith('erased-'))).toBe(true);
});

test('a team whose name is taken keeps to the limit, and restricted teams beyond theirs are refused', async () => {
  const long = 'x'.repeat(100);
  const names = [long, long, ...Array.from({ length: 60 }, (_, at) => `Team ${at}`)];
  const changed = await desk.copyOf((path) => {
    const rest = { visibility: 'members', position: 0, createdAt: '2026-01-01T00:00:00Z' };
    const lines = names.map((name) => `${JSON.stringify({ id: newId(), name, ...rest })}\n`);
    return appendFile(join(path, 'teams.jsonl'), lines.join(''));
  });
  const { problems } = await desk.load(changed);
  expect(problems.kept.map(({ reason }) => reason)).toContain('a workspace has 50 restricted teams at most');
  const { longest, restricted } = await desk.target.app.db.one<{ longest: number; restricted: number }>(sql`
    select max(length(name)) as longest, count(*) filter (where visibility = 'members') as restricted
    from teams where workspace_id = ${desk.owner.workspaceId}`);
  expect({ longest, restricted }).toEqual({ longest: 100, restricted: 50 });
});
