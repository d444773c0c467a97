import { beforeAll, expect, test } from 'vitest';
import { makeOwner, type Person } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { sql } from '../platform/sql.ts';
import { messageSearchVector } from './rows.ts';

const house = useHouse();

const words = ['printer', 'paper', 'jam', 'toner', 'invoice'];
/** By the bits of the number, so that each word is in half of the texts. */
const textOf = (number: number): string => words.filter((_, at) => (number >> at) & 1).join(' ') || 'nothing';
const numbers = Array.from({ length: 64 }, (_, number) => number);

let owner: Person;
const ids: string[] = [];

beforeAll(async () => {
  owner = await makeOwner(house);
  for (const number of numbers) {
    const ticket = { subject: `Ticket ${number}`, body: textOf(number), tags: number % 3 === 0 ? ['third'] : [] };
    ids.push((await owner.call('POST', '/tickets', ticket)).body.id);
  }
}, 60_000);

const has = (number: number, word: string): boolean => textOf(number).split(' ').includes(word);
/** Searches, and of which texts they are true; each of them of an eighth of all at least. */
const searches: readonly [typed: string, isMatch: (number: number) => boolean][] = [
  ['printer', (number) => has(number, 'printer')],
  ['pap', (number) => has(number, 'paper')],
  ['printer paper', (number) => has(number, 'printer') && has(number, 'paper')],
  ['"printer paper"', (number) => has(number, 'printer') && has(number, 'paper')],
  ['printer or toner', (number) => has(number, 'printer') || has(number, 'toner')],
  ['jam -toner', (number) => has(number, 'jam') && !has(number, 'toner')],
  ['-invoice', (number) => !has(number, 'invoice')],
];

async function foundBy(typed: string, more = ''): Promise<{ numbers: number[]; total: string | null }> {
  const numbersOn = async (path: string): Promise<{ found: number[]; total: string | null }> => {
    const { status, body, headers } = await owner.call('GET', path);
    expect(status).toBe(200);
    const found = body.map(({ id }: { id: string }) => ids.indexOf(id)).filter((number: number) => number >= 0);
    const next = /[?&](cursor=[^&>]+)/.exec(headers.get('link') ?? '')?.[1];
    if (next === undefined) return { found, total: headers.get('x-total-count') };
    const rest = await numbersOn(`/tickets?search=${encodeURIComponent(typed)}${more}&${next}`);
    return { found: [...found, ...rest.found], total: headers.get('x-total-count') };
  };
  const { found, total } = await numbersOn(`/tickets?search=${encodeURIComponent(typed)}${more}`);
  return { numbers: found.sort((a, b) => a - b), total };
}

async function expectAllFound(): Promise<void> {
  for (const [typed, isMatch] of searches) {
    const expected = numbers.filter(isMatch);
    expect([typed, (await foundBy(typed)).numbers]).toEqual([typed, expected]);
    expect([typed, (await foundBy(typed, '&limit=7')).numbers]).toEqual([typed, expected]);
    const tagged = expected.filter((number) => number % 3 === 0);
    expect([typed, (await foundBy(typed, '&tags=third')).numbers]).toEqual([typed, tagged]);
  }
}

test('what most of the newest messages have is found', async () => {
  await expectAllFound();
  expect((await foundBy('printer')).total).toBe('32');
});

test('the same is found when none of the newest messages has it', async () => {
  const other = (await owner.call('POST', '/tickets', { subject: 'Other', body: 'Something else.' })).body.id;
  for (let count = 0; count < 100; count++)
    await owner.call('POST', `/tickets/${other}/messages`, { body: 'invoice 4712', isInternal: true });
  await expectAllFound();
  expect((await foundBy('printer')).total).toBe('32');
}, 60_000);

test('what many of the newest messages have, and few of all, is found in the oldest too', async () => {
  const wave = await makeOwner(house, 'Wave');
  const make = async (body: string) => (await wave.call('POST', '/tickets', { subject: 'Help', body })).body.id;
  const oldest = await make('zebra');
  const filled = await make('nothing');
  const { workspaceId } = wave;
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`
      update messages set created_at = now() - interval '2 years'
      where workspace_id = ${workspaceId} and ticket_id = ${oldest}`);
    await tx.run(sql`
      insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at, search)
      select ${workspaceId}::uuid, gen_random_uuid(), ${filled}::uuid, 'inbound', 'customer', 'nothing',
        now() - n * interval '1 minute', ${messageSearchVector(workspaceId, 'nothing')}::tsvector
      from generate_series(1, 10000) n`);
  });
  const newest = [];
  for (let count = 0; count < 12; count++) newest.push(await make('zebra'));
  const { body, headers } = await wave.call('GET', '/tickets?search=zebra');
  expect(body.map(({ id }: { id: string }) => id).sort()).toEqual([oldest, ...newest].sort());
  expect(headers.get('x-total-count')).toBe('13');
}, 60_000);

test('a cursor from beyond all time finds nothing and breaks nothing', async () => {
  const position = { at: '9999-12-31T00:00:00.000Z', score: 5_000, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  const cursor = Buffer.from(JSON.stringify(position)).toString('base64url');
  expect((await owner.call('GET', `/tickets?search=printer&cursor=${cursor}`)).status).toBe(200);
});

test('nothing is found, and nothing breaks, where there is no message', async () => {
  const newcomer = await makeOwner(house, 'Empty');
  expect(await newcomer.call('GET', '/tickets?search=printer')).toMatchObject({ status: 200, body: [] });
});
