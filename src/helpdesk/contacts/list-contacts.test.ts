import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { gatherContacts } from './gather.ts';

const house = useHouse();
let owner: Person;

const people: [string, string | null][] = [
  ['zofia.zolc@example.org', 'Zofia Żółć'],
  ['ann@example.org', 'Ann Smith'],
  ['b.smithers@acme.example', 'Bob'],
  ['ann.other@acme.example', null],
  ['chen@example.cn', '陳大文'],
];

beforeAll(async () => {
  owner = await makeOwner(house);
  for (const [email, name] of people) await add(owner, email, name);
});

const add = (person: Person, email: string, name: string | null) =>
  person.call('POST', '/tickets', { subject: 's', body: 'b', requester: { email, name } });

async function found(search: string, person = owner): Promise<string[]> {
  const answer = await person.call('GET', `/contacts?search=${encodeURIComponent(search)}`);
  expect(answer.status).toBe(200);
  return answer.body.map(({ email }: any) => email);
}

test('contacts are listed by address, with their names', async () => {
  const { body } = await owner.call('GET', '/contacts');
  expect(body.map(({ email }: any) => email)).toEqual(people.map(([email]) => email).sort());
  expect(body[1]).toEqual({
    id: expect.any(String),
    email: 'ann@example.org',
    name: 'Ann Smith',
    emails: ['ann@example.org'],
    showsRemoteImages: false,
    erasedAt: null,
    createdAt: expect.stringMatching(/Z$/),
  });
});

test('a search matches beginnings of words in name and address, ignoring case and accents', async () => {
  expect(await found('smith')).toEqual(['ann@example.org', 'b.smithers@acme.example']);
  expect(await found('SMITH an')).toEqual(['ann@example.org']);
  expect(await found('zolc')).toEqual(['zofia.zolc@example.org']);
  expect(await found('ŻÓŁ')).toEqual(['zofia.zolc@example.org']);
  expect(await found('ann.other@acme')).toEqual(['ann.other@acme.example']);
  expect(await found('acme ann')).toEqual(['ann.other@acme.example']);
  expect(await found('大文')).toEqual(['chen@example.cn']);
  expect(await found('mith')).toEqual([]);
  expect(await found('ann zofia')).toEqual([]);
});

test('any text is a valid search, and an empty search lists all contacts', async () => {
  for (const typed of [
    "'",
    '" & | ! ( ) : * \\',
    '@',
    '<->',
    ':*',
    'a:*',
    '%',
    'x'.repeat(5_000),
    '-ann',
    'ann'.repeat(400),
  ])
    await found(typed);
  expect(await found('@@@')).toEqual([]);
  expect(await found('')).toHaveLength(people.length);
});

test('a search finds the new name, and no longer the old one', async () => {
  const person = await makeOwner(house);
  await add(person, 'eve@example.org', 'Eve First');
  await add(person, 'EVE@example.org', 'Eve Second');
  expect(await found('first', person)).toEqual([]);
  expect(await found('second eve', person)).toEqual(['eve@example.org']);
  await house.app.db.tx((tx) =>
    gatherContacts(tx, person.workspaceId, [{ email: 'mail@example.org', name: 'By Mail', claim: null }]),
  );
  expect(await found('by mail', person)).toEqual(['mail@example.org']);
});

test('pages follow one another, with and without a search', async () => {
  const person = await makeOwner(house);
  const emails = Array.from({ length: 25 }, (_item, index) => `customer${String(index).padStart(2, '0')}@example.org`);
  for (const email of emails.toReversed()) await add(person, email, null);
  for (const search of ['', '&search=example']) {
    const seen: string[] = [];
    let path: string | undefined = `/contacts?limit=10${search}`;
    let pages = 0;
    while (path !== undefined) {
      const answer = await person.call('GET', path);
      seen.push(...answer.body.map(({ email }: any) => email));
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      pages++;
    }
    expect(seen).toEqual(emails);
    expect(pages).toBe(3);
  }
  expect((await person.call('GET', '/contacts?cursor=nonsense')).status).toBe(400);
  expect((await person.call('GET', '/contacts?limit=201')).status).toBe(400);
});

test('contacts are sorted by what people read, on pages that follow one another', async () => {
  const person = await makeOwner(house);
  const shown: [string, string | null][] = [
    ['x1@example.org', 'Abel'],
    ['anton@example.org', null],
    ['x3@example.org', 'ostermann'],
    ['x0@example.org', 'Ostermann'],
    ['x2@example.org', 'Östlund, Åsa'],
    ['a1@example.org', 'Zoë'],
    ['x4@example.org', '佐々木 健'],
  ];
  for (const [email, name] of shown) await add(person, email, name);
  for (const search of ['', '&search=example']) {
    const seen: string[] = [];
    let path: string | undefined = `/contacts?sort=name&limit=2${search}`;
    while (path !== undefined) {
      const answer = await person.call('GET', path);
      seen.push(...answer.body.map(({ email }: any) => email));
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(shown.map(([email]) => email));
  }
  expect((await person.call('GET', '/contacts?sort=age')).status).toBe(400);
});

test('a search lists at most 1,000 matches, each once', async () => {
  const person = await makeOwner(house);
  await house.app.db.tx(async (tx) => {
    const crowd = Array.from({ length: 1_100 }, (_item, index) => ({
      email: `c${index}@crowd.example`,
      name: null,
      claim: null,
    }));
    await gatherContacts(tx, person.workspaceId, crowd);
  });
  const seen = new Set<string>();
  let path: string | undefined = '/contacts?limit=200&search=crowd';
  while (path !== undefined) {
    const answer = await person.call('GET', path);
    for (const { id } of answer.body) seen.add(id);
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  expect(seen.size).toBe(1_000);
});

test('a viewer reads contacts, and nobody reads those of another workspace', async () => {
  const viewer = await makeMember(house, owner.workspaceId, 'viewer');
  expect(await found('smith', viewer)).toHaveLength(2);
  expect(await found('smith', await makeOwner(house))).toEqual([]);
});
