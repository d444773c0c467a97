import { appendFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useHouse } from '../test/harness/harness.ts';
import { fixtures, importDesk, shown } from '../test/worlds/imports/import-desk.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../test/worlds/mails.ts';
import { convertZendesk } from './zendesk.ts';

const house = useHouse();
const desk = importDesk(house, 'zendesk', convertZendesk);
const source = { paths: [join(fixtures, 'zendesk')], files: join(fixtures, 'zendesk-files') };

test('tickets come with their people, threads, times, states, tags and files', async () => {
  const { counts, problems, loaded } = await desk.imported(source);
  expect(counts).toEqual({ members: 3, contacts: 3, tickets: 4, messages: 7, files: 1 });
  expect(problems.map(({ where, reason }) => `${where}: ${reason}`)).toEqual([
    'ticket 101: the file lost.pdf (9002) is not there',
    'ticket 104: nobody knows the author -1 of the comment 7030',
    'ticket 104: nobody knows the assignee 9999',
    'ticket 105: the status teleported is unknown',
    'tickets.json:6: the ticket has no id or no created_at',
    'tickets.json:7: is no JSON object',
  ]);
  const person = await desk.reader(loaded);
  const tickets = await ticketsOf(person);
  const [printer, question, solved] = await Promise.all(tickets.map(({ id }) => ticketOf(person, id)));
  expect(shown(printer)).toEqual({
    number: 101,
    status: 'open',
    priority: 'urgent',
    tags: ['printer', 'größe'],
    requester: 'carla@customer.example',
    messages: [
      '2023-04-01T09:00:00.000Z inbound carla@customer.example It burns.\n\nPlease help.',
      '2023-04-01T10:00:00.000Z outbound ada@acme.example Which model?',
      '2023-04-01T10:05:00.000Z internal gone@acme.example She is a good customer.',
      '2023-04-03T10:00:00.000Z inbound carla@customer.example The red one.',
    ],
    files: ['flames.txt'],
  });
  expect(printer.messages[0].bodyHtml).not.toContain('onerror');
  expect(shown(question)).toMatchObject({ number: 102, status: 'pending', tags: ['on-hold'] });
  expect(shown(solved)).toMatchObject({ status: 'closed', priority: 'low', requester: 'carla@customer.example' });
  const trashed = await person.call('GET', '/tickets?trash=true');
  expect(trashed.body.map(({ ticketNumber }: any) => ticketNumber)).toEqual([104]);
  await ingest(house, person, [
    mailOf({ headers: { 'In-Reply-To': '<second@customer.example>', From: 'Carla <carla@customer.example>' } }),
  ]);
  expect((await ticketOf(person, printer.id)).messages).toHaveLength(5);
  const next = await person.call('POST', '/tickets', { subject: 'Next', body: 'b' });
  expect(next.body.ticketNumber).toBe(105);
});

test('a second run brings only what has changed', async () => {
  const again = await desk.imported(source);
  expect(again.loaded.totals.tickets).toEqual({ new: 0, updated: 0, known: 4 });
  const folder = await desk.newFolder();
  await cp(join(fixtures, 'zendesk'), folder, { recursive: true });
  const path = join(folder, 'tickets.json');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('"status":"hold"', '"status":"solved"'));
  await appendFile(
    path,
    `${JSON.stringify({
      id: 106,
      subject: 'Cut-over day',
      status: 'new',
      requester_id: 5003,
      created_at: '2023-08-01T09:00:00Z',
      description: 'Hello',
    })}\n`,
  );
  const { loaded } = await desk.imported({ ...source, paths: [folder] });
  expect(loaded.totals.tickets).toEqual({ new: 1, updated: 1, known: 3 });
});

test('a page of the API, with comments apart, is read as well', async () => {
  const folder = await desk.newFolder();
  const lines = (await readFile(join(fixtures, 'zendesk/tickets.json'), 'utf8')).split('\n');
  const { comments, ...ticket } = JSON.parse(lines[0] ?? '');
  const users = (await readFile(join(fixtures, 'zendesk/users.json'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  await writeFile(join(folder, 'users-1.json'), JSON.stringify({ users, count: users.length, next_page: null }));
  await writeFile(join(folder, 'tickets-1.json'), JSON.stringify({ tickets: [ticket], end_of_stream: true }));
  // Two pages, of which the second begins with a comment that moved there while they were saved.
  for (const [page, from, to] of [
    [1, 0, 3],
    [2, 2, 4],
  ]) {
    const part = { ticket_id: 101, comments: comments.slice(from, to), count: 4 };
    await writeFile(join(folder, `comments-101-${page}.json`), JSON.stringify(part));
  }
  const { counts, folder: written } = await desk.written({ paths: [folder], files: source.files });
  expect(counts).toMatchObject({ members: 3, tickets: 1, messages: 4 });
  const whole = await desk.written(source);
  const firstOf = async (path: string) => (await readFile(join(path, 'tickets.jsonl'), 'utf8')).split('\n').slice(0, 7);
  expect(await firstOf(written)).toEqual(await firstOf(whole.folder));
});

test('a dry run lists counts and problems, and writes nothing', async () => {
  const dry = await desk.run('--dry-run', '--files', source.files, ...source.paths);
  expect(dry).toMatchObject({ code: 1, output: expect.stringMatching(/tickets +4\n.*\n +files +1\nticket 101: /) });
  expect((await desk.run(...source.paths)).code).toBe(2);
  expect((await desk.run('--dry-run', join(fixtures, 'nowhere'))).output).toMatch(/^There is no file or folder/);
});
