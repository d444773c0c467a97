import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';

const house = useHouse();
let owner: Person;
let path: string;
/** The messages as the whole ticket lists them. */
let all: any[];

beforeAll(async () => {
  owner = await makeOwner(house);
  const requester = { email: 'ann@example.org', name: 'Ann' };
  const { body: ticket } = await owner.call('POST', '/tickets', { subject: 's', body: 'First', requester });
  path = `/tickets/${ticket.id}`;
  for (let number = 2; number <= 7; number++)
    await owner.call('POST', `${path}/messages`, {
      body: `Note\n${number}`,
      bodyHtml: `<p>${number}</p>`,
      isInternal: true,
    });
  all = (await owner.call('GET', path)).body.messages;
});

const get = async (query: string): Promise<any> => (await owner.call('GET', `${path}${query}`)).body;

test('a ticket can be read with its newest messages, or whole', async () => {
  const whole = await get('');
  const newest = await get('?messages=3');
  expect(newest).toEqual({ ...whole, messages: all.slice(-3), earlierCursor: expect.any(String) });
  expect([newest.messageCount, newest.replyDefaults.to]).toEqual([7, ['ann@example.org']]);
  expect(await get('?messages=7')).toEqual(whole);
  expect(whole.earlierCursor).toBeNull();
  const byNumber = await owner.call('GET', `/tickets/number/${whole.ticketNumber}?messages=3`);
  expect(byNumber.body).toEqual(newest);
});

test('earlier pages hold every message once, oldest first', async () => {
  const pages: any[][] = [];
  let { messages, earlierCursor } = await get('?messages=2');
  while (earlierCursor !== null) {
    pages.unshift(messages);
    ({ messages, earlierCursor } = await get(`/messages?limit=2&before=${earlierCursor}`));
    messages = messages.map(({ snippet: _, ...message }: any) => message);
  }
  expect([messages, ...pages].flat()).toEqual(all);
});

test('heads have a snippet and no texts', async () => {
  const { messages } = await get('/messages?bodies=none');
  expect(messages).toHaveLength(7);
  const { body: _, bodyHtml: __, replyText: ___, newHtml: ____, quotedHtml: _____, ...head } = all[6];
  expect(messages[6]).toEqual({ ...head, snippet: 'Note 7' });
  expect((await get('/messages?limit=1')).messages).toEqual([{ ...all[6], snippet: 'Note 7' }]);
});

test('invalid pages are refused', async () => {
  const statusOf = async (query: string, person = owner) => (await person.call('GET', `${path}${query}`)).status;
  expect(await statusOf('?messages=0')).toBe(400);
  expect(await statusOf('?messages=201')).toBe(400);
  expect((await get('/messages?before=x')).params.issues[0].path).toBe('query.before');
  expect(await statusOf('/messages', await makeOwner(house))).toBe(404);
});
