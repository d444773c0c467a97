import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useHouse } from '../test/harness/harness.ts';
import { fixtures, importDesk, shown } from '../test/worlds/imports/import-desk.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../test/worlds/mails.ts';
import { convertFreescout } from './freescout.ts';
import { readSqlDump } from './read-sql-dump.ts';

const house = useHouse();
const desk = importDesk(house, 'freescout', convertFreescout);
const dump = join(fixtures, 'freescout/dump.sql');
const source = { paths: [dump], files: join(fixtures, 'freescout/attachment'), utcOffset: '+02:00' };

test('conversations come with their people, threads, times, states and files', async () => {
  const { counts, problems, loaded } = await desk.imported(source);
  expect(counts).toEqual({ members: 2, contacts: 2, tickets: 4, messages: 6, files: 1 });
  expect(problems.map(({ where, reason }) => `${where}: ${reason}`)).toEqual([
    'line 117: a row of threads has 3 values for 15 columns',
    'line 120: the statement has no end',
    'ticket 1: the file ../../../passwd (2) is not there',
    'conversation 5: is a draft that was never sent',
  ]);
  const person = await desk.reader(loaded);
  const tickets = await ticketsOf(person);
  const numbered = async (number: number) =>
    ticketOf(person, tickets.find(({ ticketNumber }) => ticketNumber === number).id);
  const coffee = await numbered(31);
  expect(coffee.subject).toBe('Kaffeemaschine; "kaputt" (wieder)');
  expect(shown(coffee)).toEqual({
    number: 31,
    status: 'open',
    priority: 'normal',
    tags: [],
    requester: 'carla@customer.example',
    messages: [
      '2022-03-01T07:00:00.000Z inbound carla@customer.example It is broken.\nIt\'s the "red" one); -- really',
      '2022-03-01T08:00:00.000Z outbound olga@acme.example We look at it.',
      '2022-03-01T09:00:00.000Z internal gone@acme.example Ask her for the number.',
    ],
    files: ["it's a plan.txt"],
  });
  expect(shown(await numbered(32))).toMatchObject({ status: 'closed', requester: 'customer-2@freescout.invalid' });
  const numbers = async (filter: string) =>
    (await person.call('GET', `/tickets?${filter}`)).body.map(({ ticketNumber }: any) => ticketNumber);
  expect(await numbers('spam=true')).toEqual([33]);
  expect(await numbers('trash=true')).toEqual([34]);
  for (const id of ['coffee@customer.example', 'FS_reply-2-1f3870be274f6c49@acme.example'])
    await ingest(house, person, [
      mailOf({ headers: { 'In-Reply-To': `<${id}>`, From: 'Carla <carla@customer.example>' } }),
    ]);
  expect((await ticketOf(person, coffee.id)).messages).toHaveLength(5);
});

test('a second run takes nothing, and no password hash leaves the dump', async () => {
  const { loaded } = await desk.imported(source);
  expect(loaded.totals.tickets).toEqual({ new: 0, updated: 0, known: 4 });
  const { folder } = await desk.written(source);
  expect(await readFile(join(folder, 'members.jsonl'), 'utf8')).not.toContain('SECRETHASH');
  expect(await readFile(join(folder, 'tickets.jsonl'), 'utf8')).not.toContain('SECRETPASSWORD');
});

test.each([
  ["('a\\\\', 'b''c', '\\n\\t\\0', NULL, -1.5e3)", [['a\\', "b'c", '\n\t\0', null, '-1.5e3']]],
  [
    "(1,2,3,4,5),(6,7,8,9,'0);')",
    [
      ['1', '2', '3', '4', '5'],
      ['6', '7', '8', '9', '0);'],
    ],
  ],
  ["('', _utf8mb4 'x', 0x41, ')', \n'(')", [['', 'x', 'A', ')', '(']]],
])('values of a dump: %s', async (values, expected) => {
  const path = join(await desk.newFolder(), 'dump.sql');
  await writeFile(path, `INSERT INTO \`t\` (\`a\`, b, c, d, e) VALUES ${values};\nINSERT INTO \`other\` VALUES (1);\n`);
  const rows = [];
  for await (const { row } of readSqlDump(path, new Set(['t']), () => {})) rows.push(Object.values(row));
  expect(rows).toEqual(expected);
});

test('a dry run of the program lists the problems', async () => {
  const dry = await desk.run('--dry-run', '--files', source.files, dump);
  expect(dry).toMatchObject({ code: 1, output: expect.stringMatching(/tickets +4\n/) });
  expect((await desk.run('--dry-run', '--utc-offset', 'Berlin', dump)).code).toBe(2);
});
