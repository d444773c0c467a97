import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { messageSearchVector } from '../../helpdesk/messages/words.ts';

const house = useHouse();

const words = ['printer', 'paper', 'jam', 'toner', 'invoice'];
/** Picks words by the bits of the number, so that each word is in half of the texts. */
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
/** Searches, and which texts match them; each matches at least an eighth of all texts. */
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

type Often = { times: number; hoursAgo?: number };

/** Writes messages of a ticket, a second apart, and has PostgreSQL count them, as autovacuum does within a minute. */
async function writeOften(workspaceId: WorkspaceId, ticketId: TicketId, body: string, often: Often): Promise<void> {
  await writeUncounted(workspaceId, ticketId, body, often);
  await house.app.db.pool.query('analyze messages, message_words');
}

function writeUncounted(
  workspaceId: WorkspaceId,
  ticketId: TicketId,
  body: string,
  { times, hoursAgo = 0 }: Often,
): Promise<number> {
  return house.app.db.tx((tx) =>
    tx.run(sql`
      with written as (
        insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at)
        select ${workspaceId}::uuid, gen_random_uuid(), ${ticketId}::uuid, 'inbound', 'customer', ${body},
          now() - make_interval(hours => ${hoursAgo}, secs => n)
        from generate_series(0, ${times - 1}) n
        returning id, created_at
      )
      insert into message_words (workspace_id, message_id, created_at, search)
      select ${workspaceId}::uuid, id, created_at, ${messageSearchVector(workspaceId, body)}::tsvector from written`),
  );
}

/** Makes the messages of tickets older than all other messages. */
function age(workspaceId: WorkspaceId, ...ticketIds: string[]): Promise<number> {
  return house.app.db.tx((tx) =>
    tx.run(sql`
      with aged as (
        update messages set created_at = now() - interval '2 years'
        where workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[])
        returning id, created_at
      ), indexed as (
        update message_words w set created_at = a.created_at from aged a
        where w.workspace_id = ${workspaceId} and w.message_id = a.id
      )
      update unindexed_words w set created_at = a.created_at from aged a
      where w.workspace_id = ${workspaceId} and w.message_id = a.id`),
  );
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

test('a word of most of the newest messages is found', async () => {
  await expectAllFound();
  expect((await foundBy('printer')).total).toBe('32');
});

test('the same tickets are found if none of the newest messages has the word', async () => {
  const other = (await owner.call('POST', '/tickets', { subject: 'Other', body: 'Something else.' })).body.id;
  await writeOften(owner.workspaceId, other, 'invoice 4712', { times: 100 });
  await expectAllFound();
  expect((await foundBy('printer')).total).toBe('32');
  await age(owner.workspaceId, other);
}, 60_000);

test('a word of many new messages, and of few others, is found in the oldest too', async () => {
  const wave = await makeOwner(house, 'Wave');
  const make = async (body: string) => (await wave.call('POST', '/tickets', { subject: 'Help', body })).body.id;
  const oldest = await make('zebra');
  const filled = await make('nothing');
  const { workspaceId } = wave;
  await age(workspaceId, oldest);
  await writeOften(workspaceId, filled, 'nothing', { times: 11_000 });
  const newest = [];
  // Enough matches to keep the walk at its minimum of 10,000 messages.
  for (let count = 0; count < 25; count++) newest.push(await make('zebra'));
  const { body, headers } = await wave.call('GET', '/tickets?search=zebra');
  expect(body.map(({ id }: { id: string }) => id).sort()).toEqual([oldest, ...newest].sort());
  expect(headers.get('x-total-count')).toBe('26');
}, 60_000);

test('a word is found at once while PostgreSQL takes the messages for few', async () => {
  const { pool } = house.app.db;
  for (const table of ['messages', 'message_words'])
    await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
  const analyze = async (...tables: string[]) => {
    for (const table of tables) await pool.query(`analyze ${table}`);
  };
  const fill = async ({ call, workspaceId }: Person, times: number) => {
    const { body: ticket } = await call('POST', '/tickets', { subject: 'Help', body: 'nothing' });
    await writeUncounted(workspaceId, ticket.id, 'nothing', { times });
  };
  await fill(await makeOwner(house, 'Known'), 30_000);
  await analyze('messages', 'message_words', 'unindexed_words', 'tickets');
  const busy = await makeOwner(house, 'Busy');
  const make = async (body: string) => (await busy.call('POST', '/tickets', { subject: 'Help', body })).body.id;
  await fill(busy, 11_000);
  await analyze('message_words');
  for (let count = 0; count < 25; count++) await make('zebra');
  // Words that are matched anew for each message take over ten seconds, which is 503.
  expect(await busy.call('GET', '/tickets?search=zebra')).toMatchObject({ status: 200, body: { length: 25 } });
  for (const table of ['messages', 'message_words'])
    await pool.query(`alter table ${table} reset (autovacuum_enabled)`);
}, 60_000);

describe('in a workspace that counts as large', () => {
  const largeTicketsMin = 100_000;
  const grow = (workspaceId: WorkspaceId) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update ticket_counters set last_number = last_number + ${largeTicketsMin} where workspace_id = ${workspaceId}`),
    );

  test('the same tickets are found', async () => {
    await grow(owner.workspaceId);
    await expectAllFound();
    expect((await foundBy('printer')).total).toBe('32');
  });

  test('a thousand matches of one alternative do not hide those of an unfinished other', async () => {
    const large = await makeOwner(house, 'Alternatives');
    const make = async (body: string) => (await large.call('POST', '/tickets', { subject: 'Help', body })).body.id;
    const filled = await make('nothing');
    await writeOften(large.workspaceId, filled, 'printer', { times: 1_500, hoursAgo: 3 });
    await writeOften(large.workspaceId, filled, 'nothing', { times: 220, hoursAgo: 1 });
    const others = [await make('the copier'), await make('the cop')];
    await grow(large.workspaceId);
    const { body } = await large.call('GET', '/tickets?search=printer%20or%20cop');
    expect(body.map(({ id }: { id: string }) => id).sort()).toEqual([filled, ...others].sort());
  }, 60_000);

  test('all pages of a search have the same matches', async () => {
    const large = await makeOwner(house, 'Pages');
    const make = async (body: string) => (await large.call('POST', '/tickets', { subject: 'Help', body })).body.id;
    const whole: TicketId[] = [];
    while (whole.length < 200) whole.push(await make('the key'));
    const begun = await make('the keyboard');
    await grow(large.workspaceId);
    await age(large.workspaceId, begun, ...whole);
    // Makes the word rare among the newest messages.
    await writeOften(large.workspaceId, begun, 'nothing', { times: 99 });
    await writeOften(large.workspaceId, whole[0]!, 'the key', { times: 1 });
    const find = async (limit: number, cursor?: string) => {
      const path = `/tickets?search=the%20key&limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`;
      const { status, body, headers } = await large.call('GET', path);
      const next = /[?&]cursor=([^&>]+)/.exec(headers.get('link') ?? '')?.[1];
      return { status, ids: status === 200 ? body.map(({ id }: { id: string }) => id) : body.key, next };
    };
    const first = await find(150);
    const second = await find(150, first.next);
    expect([...first.ids, ...second.ids].sort()).toEqual(whole.toSorted());
    expect(second.next).toBeUndefined();
    const position = JSON.parse(Buffer.from(first.next ?? '', 'base64url').toString());
    const from = (changed: object) =>
      find(200, Buffer.from(JSON.stringify({ ...position, score: 5_000, ...changed })).toString('base64url'));
    expect(await from({})).toMatchObject({ status: 200, next: undefined });
    for (const way of ['by heart', undefined])
      expect(await from({ way })).toMatchObject({ status: 400, ids: 'request.invalid' });
  }, 60_000);

  test('messages with the whole last word come first, and alone if two hundred tickets have it', async () => {
    const large = await makeOwner(house, 'Large');
    const make = async (subject: string, body: string) =>
      (await large.call('POST', '/tickets', { subject, body })).body.id;
    const begun = await make('Begun', 'the copier');
    const named = await make('Copiers', 'Hello');
    await grow(large.workspaceId);
    const find = async (typed: string, more = '') => {
      const answer = await large.call('GET', `/tickets?limit=200&search=${encodeURIComponent(typed)}${more}`);
      const ids: string[] = answer.body.map(({ id }: { id: string }) => id);
      const told = [answer.headers.get('x-total-count'), answer.headers.get('x-total-count-relation')];
      return [ids.includes(begun), ids.includes(named), ...told];
    };
    const whole = [];
    while (whole.length < 198) whole.push(await make('Whole', 'the cop'));
    await age(large.workspaceId, begun, ...whole);
    // Makes the word rare among the newest messages, so that it is not common.
    await writeOften(large.workspaceId, named, 'nothing', { times: 99 });
    await writeOften(large.workspaceId, named, 'the cop', { times: 1 });
    expect(await find('the cop')).toEqual([true, true, '200', null]);
    await age(large.workspaceId, await make('Whole', 'the cop'));
    expect(await find('the cop')).toEqual([false, true, '200', 'gte']);
    expect(await find('the cop', '&offset=200')).toEqual([false, false, '200', 'gte']);
    expect(await find('the copi')).toEqual([true, false, '1', null]);
    await writeOften(large.workspaceId, begun, 'the copier', { times: 1_000, hoursAgo: 2 });
    expect(await find('the copi')).toEqual([true, false, '1', 'gte']);
  }, 60_000);

  test('an unfinished word with very many matches is looked for among matches of the other words', async () => {
    const large = await makeOwner(house, 'Beside');
    const make = async (body: string) => (await large.call('POST', '/tickets', { subject: 'Help', body })).body.id;
    const found = [await make('a zebra copied'), await make('zebras or a zebra, copies')].sort();
    const archived = await make('a zebra copied');
    await make('a zebra');
    const copies = await make('copies');
    await grow(large.workspaceId);
    await writeOften(large.workspaceId, copies, 'copies', { times: 500 });
    expect((await large.call('POST', `/tickets/${archived}/archive`)).status).toBe(200);
    const { body, headers } = await large.call('GET', '/tickets?search=zebra%20co');
    expect(body.map(({ id }: { id: string }) => id).sort()).toEqual(found);
    expect([headers.get('x-total-count'), headers.get('x-total-count-relation')]).toEqual(['2', null]);
    const first = await large.call('GET', '/tickets?search=zebra%20co&limit=1');
    const cursor = /[?&]cursor=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(JSON.parse(Buffer.from(cursor, 'base64url').toString()).way).toBe('index beside');
    const second = await large.call('GET', `/tickets?search=zebra%20co&limit=1&cursor=${cursor}`);
    expect([first.body[0].id, second.body[0].id].sort()).toEqual(found);
    // More than are gathered, in tickets that the list excludes. The search must still find the older messages.
    await age(large.workspaceId, ...found);
    await writeOften(large.workspaceId, archived, 'zebra copies', { times: 2_000, hoursAgo: 1 });
    const behind = await large.call('GET', '/tickets?search=zebra%20co');
    expect(behind.body.map(({ id }: { id: string }) => id).sort()).toEqual(found);
  }, 60_000);
});

test('a found ticket looks as in a list, besides its matches', async () => {
  const { body: found } = await owner.call('GET', '/tickets?search=printer&limit=1');
  const { body: listed } = await owner.call('GET', '/tickets');
  const [{ matches, ...ticket }] = found;
  expect(matches).toEqual(['printer']);
  expect(ticket).toEqual(listed.find(({ id }: { id: string }) => id === ticket.id));
});

test('a cursor beyond all time finds nothing and causes no error', async () => {
  const [at, id] = ['9999-12-31T00:00:00.000Z', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  const position = { at, score: 5_000, id, way: 'index all' };
  const cursor = Buffer.from(JSON.stringify(position)).toString('base64url');
  expect((await owner.call('GET', `/tickets?search=printer&cursor=${cursor}`)).status).toBe(200);
});

test('a workspace without messages finds nothing and causes no error', async () => {
  const newcomer = await makeOwner(house, 'Empty');
  expect(await newcomer.call('GET', '/tickets?search=printer')).toMatchObject({ status: 200, body: [] });
});
