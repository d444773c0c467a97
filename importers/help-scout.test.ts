import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useHouse } from '../test/harness/harness.ts';
import { fixtures, importDesk, shown } from '../test/worlds/imports/import-desk.ts';
import { ticketOf, ticketsOf } from '../test/worlds/mails.ts';
import { convertHelpScout } from './help-scout.ts';

const house = useHouse();
const desk = importDesk(house, 'help-scout', convertHelpScout);
const source = { paths: [join(fixtures, 'help-scout')], files: join(fixtures, 'help-scout-files') };

test('conversations come with their people, threads, times, states, tags and files', async () => {
  const { counts, problems, loaded } = await desk.imported(source);
  expect(counts).toEqual({ members: 2, contacts: 1, tickets: 5, messages: 7, files: 1 });
  expect(problems).toEqual([
    { where: 'conversation 3005', reason: 'has no published thread: save it with embed=threads' },
  ]);
  const person = await desk.reader(loaded);
  const tickets = await ticketsOf(person);
  const numbered = async (number: number) =>
    ticketOf(person, tickets.find(({ ticketNumber }) => ticketNumber === number).id);
  const order = await numbered(12);
  expect(shown(order)).toEqual({
    number: 12,
    status: 'open',
    priority: 'normal',
    tags: ['order', 'vip'],
    requester: 'carla@customer.example',
    messages: [
      '2022-01-01T09:00:00.000Z inbound carla@customer.example Where is my order?',
      '2022-01-01T10:00:00.000Z internal olga@acme.example Ask the store.',
      '2022-01-01T11:00:00.000Z outbound ada@acme.example On its way.',
    ],
    files: ['receipt.txt'],
  });
  expect(order.messages[0].bodyHtml).not.toContain('script');
  expect(JSON.stringify(order.messages[2])).toContain('colin@customer.example');
  const members = (await person.call('GET', '/members')).body;
  const ada = members.find(({ email }: any) => email === 'ada@acme.example');
  expect(order.assigneeId).toBe(ada.userId ?? ada.id);
  expect(shown(await numbered(13))).toMatchObject({ status: 'closed' });
  expect(shown(await numbered(17)).messages).toEqual(['2022-06-01T09:00:00.000Z inbound carla@customer.example Apart']);
  const numbers = async (filter: string) =>
    (await person.call('GET', `/tickets?${filter}`)).body.map(({ ticketNumber }: any) => ticketNumber);
  expect(await numbers('spam=true')).toEqual([14]);
  expect(await numbers('trash=true')).toEqual([15]);
});

test('a second run brings only what has changed', async () => {
  const again = await desk.imported(source);
  expect(again.loaded.totals.tickets).toEqual({ new: 0, updated: 0, known: 5 });
  const folder = await desk.newFolder();
  await cp(join(fixtures, 'help-scout'), folder, { recursive: true });
  const path = join(folder, 'conversations-1.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace('"status": "closed"', '"status": "pending"'));
  const { loaded } = await desk.imported({ ...source, paths: [folder] });
  expect(loaded.totals.tickets).toEqual({ new: 0, updated: 1, known: 4 });
});

test('hostile answers end in problems', async () => {
  const folder = await desk.newFolder();
  await writeFile(join(folder, 'a.json'), '{"_embedded":{"conversations":[{"id":{},"createdAt":[]},null,7]}}');
  await writeFile(join(folder, 'b.json'), '[1, {"unknown": true}]');
  await writeFile(join(folder, 'c.json'), '{"_embedded":{"users":[{"id":1}]}');
  const { counts, problems } = await desk.written({ paths: [folder] });
  expect(counts).toMatchObject({ tickets: 0, members: 0 });
  expect(problems.map(({ where }) => where)).toEqual(['a.json (1)', 'b.json (1)', 'b.json (2)', 'c.json:1']);
});

test('a dry run of the program lists the problems', async () => {
  const dry = await desk.run('--dry-run', '--files', source.files, ...source.paths);
  expect(dry).toMatchObject({ code: 1, output: expect.stringMatching(/tickets +5\n/) });
});
