import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';

const house = useHouse();
let owner: Person;
let other: Person;

const texts = {
  printer: {
    subject: 'Printer on fire',
    body: 'The printer smokes since Monday.',
    requester: { email: 'zoe@firm.example', name: 'Zoë Łódzka' },
  },
  invoice: { subject: 'Invoice 4711', body: 'Where is my printer invoice? Straße, café, naïve.' },
  login: { subject: 'Cannot log in', body: 'The quick brown fox forgot the password.' },
  chinese: { subject: '发票问题', body: '请问我的发票在哪里？ 도와주세요' },
};
const ids: Record<keyof typeof texts, string> = {} as never;

beforeAll(async () => {
  owner = await makeOwner(house);
  other = await makeOwner(house, 'Other');
  for (const [name, input] of Object.entries(texts)) {
    ids[name as keyof typeof texts] = (await owner.call('POST', '/tickets', input)).body.id;
    await other.call('POST', '/tickets', input);
  }
});

const search = (text: string, more = '') => owner.call('GET', `/tickets?search=${encodeURIComponent(text)}${more}`);
async function found(text: string, more = ''): Promise<string[]> {
  const { status, body } = await search(text, more);
  expect(status).toBe(200);
  return body.map((ticket: any) => Object.entries(ids).find(([, id]) => id === ticket.id)?.[0] ?? 'foreign');
}

test('the answer names the words of subject and snippet that it found', async () => {
  const matchesOf = async (text: string, more = '') =>
    (await search(text, more)).body.map(({ matches }: { matches: string[] }) => matches);
  expect(await matchesOf('lodzka print')).toEqual([['Printer', 'printer']]);
  expect(await matchesOf('strasse', '&sort=createdAt')).toEqual([['Straße']]);
  const [unsearched] = (await owner.call('GET', '/tickets?limit=1')).body;
  expect(unsearched).not.toHaveProperty('matches');
});

describe('what is found', () => {
  test('the subject ranks over the text', async () => {
    expect(await found('printer')).toEqual(['printer', 'invoice']);
  });

  test.each([
    ['"quick brown"', ['login']],
    ['"brown quick"', []],
    ['printer -invoice', ['printer']],
    ['smokes -fire', []],
    ['forgot -invoice', ['login']],
    ['-printer -zzz', ['login', 'chinese']],
    ['smokes or forgot', ['printer', 'login']],
    ['passw', ['login']],
    ['passw fox', []],
    ['STRASSE', ['invoice']],
    ['cafe naive', ['invoice']],
    ['zoe lodzka', ['printer']],
    ['zoe@firm.example', ['printer']],
    ['firm', ['printer']],
    ['发票', ['chinese']],
    ['도와', ['chinese']],
    ['#2', ['invoice']],
    ['2', ['invoice']],
    ['4711', ['invoice']],
    ['nothing-of-the-kind', []],
  ])('%s', async (text, expected) => {
    expect((await found(text)).sort()).toEqual([...expected].sort());
  });

  test('notes are found too, with filters beside the search', async () => {
    await owner.call('POST', `/tickets/${ids.login}/messages`, { body: 'Customer uses a zeppelin.', isInternal: true });
    expect(await found('zeppelin')).toEqual(['login']);
    expect(await found('zeppelin', '&status=open')).toEqual(['login']);
    expect(await found('zeppelin', '&status=closed')).toEqual([]);
    expect(await found('zeppelin', '&sort=createdAt')).toEqual(['login']);
  });

  test('archived tickets are found only on request', async () => {
    await owner.call('POST', `/tickets/${ids.chinese}/archive`);
    expect(await found('发票')).toEqual([]);
    expect(await found('发票', '&archived=true')).toEqual(['chinese']);
    expect(await found('发票', '&archived=any')).toEqual(['chinese']);
    await owner.call('POST', `/tickets/${ids.chinese}/unarchive`);
  });

  test('a changed subject and requester are found, the earlier ones no longer', async () => {
    const { body } = await owner.call('POST', '/tickets', {
      subject: 'walrus',
      body: 'x',
      requester: { email: 'a@ocean.example' },
    });
    await owner.call('PATCH', `/tickets/${body.id}`, {
      subject: 'narwhal',
      requester: { email: 'b@sea.example', name: 'Björn' },
    });
    expect((await search('walrus')).body).toEqual([]);
    for (const text of ['narwhal', 'bjorn', 'sea.example']) expect((await search(text)).body).toHaveLength(1);
  });

  test('the total stays correct past the end', async () => {
    const answer = await search('printer', '&offset=50');
    expect(answer.body).toEqual([]);
    expect(answer.headers.get('x-total-count')).toBe('2');
  });

  test('a search with a question mark keeps its filters on the next page', async () => {
    const link = (await owner.call('GET', '/tickets?search=printer?&limit=1&status=open')).headers.get('link');
    expect(link).toContain('status=open');
    expect(link).toContain('search=printer%3F');
  });

  test('a Message-ID finds its ticket', async () => {
    await house.app.db.pool.query(
      'insert into mail_ids (workspace_id, rfc_message_id, ticket_id) values ($1, $2, $3)',
      [owner.workspaceId, 'CAF=x+1@mail.example.org', ids.login],
    );
    expect(await found('<CAF=x+1@mail.example.org>')).toEqual(['login']);
    expect(await found('CAF=x+1@mail.example.org')).toEqual(['login']);
  });

  test('pages by cursor, in the order of one long page', async () => {
    for (let n = 0; n < 12; n++)
      await owner.call('POST', '/tickets', { subject: n % 3 ? 'x' : 'pagination', body: 'pagination' });
    const whole = (await search('pagination')).body.map((t: any) => t.id);
    expect(whole).toHaveLength(12);
    const seen: string[] = [];
    let next: string | undefined = '/tickets?search=pagination&limit=5';
    while (next !== undefined) {
      const answer: any = await owner.call('GET', next);
      seen.push(...answer.body.map((t: any) => t.id));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(whole);
  });
});

describe('any input is a search', () => {
  test.each([
    "'",
    '"(',
    ':*',
    'a & !b',
    '😀',
    '-',
    '--',
    '""',
    '-"',
    'or',
    'or or',
    '<->',
    '\\',
    '%',
    '#',
    '#99999999999',
    '|&!',
    "a'b",
    '\u202e',
    '<>',
    '@',
    'a:b:c',
    '(((',
    'ﷺ',
  ])('%s', async (text) => {
    expect((await search(text)).status).toBe(200);
    expect((await search(text, '&sort=createdAt')).status).toBe(200);
  });

  test('and never finds another workspace’s tickets', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 40 }),
          fc
            .array(
              fc.constantFrom('printer', 'or', '-', '"', ' ', 'invoice', ':*', '!', '&', '(', ')', '|', "'", '\\'),
              { maxLength: 12 },
            )
            .map((parts) => parts.join('')),
        ),
        async (text) => {
          const answer = await search(text.replaceAll('\u0000', ''));
          expect(answer.status).toBe(200);
          const mine = new Set((await owner.call('GET', '/tickets?limit=500&archived=any')).body.map((t: any) => t.id));
          for (const ticket of answer.body) expect(mine.has(ticket.id)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});
