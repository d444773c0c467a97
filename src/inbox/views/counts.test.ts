import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, liveTicketsOf, mailOf } from '../../../test/worlds/mails.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent');
});

const make = async (input: object = {}): Promise<any> =>
  (await owner.call('POST', '/tickets', { subject: 's', body: 'b', ...input })).body;
const countsOf = async (person: Person): Promise<any> => (await person.call('GET', '/counts')).body;
const numbers = ({ lists }: any) =>
  Object.fromEntries(Object.entries<any>(lists).map(([name, { count }]) => [name, count]));

test('each standard list is counted as it is listed, for the member who asks', async () => {
  expect(numbers(await countsOf(owner))).toEqual({
    ...{ mine: 0, unassigned: 0, open: 0, pending: 0, snoozed: 0, closed: 0 },
    ...{ mentions: 0, undelivered: 0, drafts: 0, unread: 0, scheduled: 0 },
  });
  const mine = await make({ assigneeId: agent.userId });
  const others = [await make(), await make(), await make(), await make()];
  await owner.call('POST', `/tickets/${others[0].id}/status`, { toStatus: 'closed' });
  await owner.call('POST', `/tickets/${others[1].id}/status`, { toStatus: 'pending' });
  await owner.call('PATCH', `/tickets/${others[2].id}`, { snoozedUntil: '2099-01-01T00:00:00Z' });
  await ingest(house, owner, [mailOf({ headers: { From: 'ann@example.org', 'Message-ID': '<counted@example.org>' } })]);
  await agent.call('PUT', `/tickets/${mine.id}/drafts/note`, { body: 'x', version: 0 });
  await agent.call('POST', '/drafts', { subject: 'New' });
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update messages set delivery_status = 'bounced'
      where workspace_id = ${owner.workspaceId} and ticket_id = ${others[3].id}`),
  );
  const expected = { mine: 1, unassigned: 2, open: 3, pending: 1, snoozed: 1, closed: 1, mentions: 0, undelivered: 1 };
  expect(numbers(await countsOf(agent))).toEqual({ ...expected, drafts: 2, unread: 1, scheduled: 0 });
  expect(numbers(await countsOf(owner))).toEqual({ ...expected, mine: 0, drafts: 0, unread: 1, scheduled: 0 });
});

test('tickets that mention the member count until the member has seen them', async () => {
  const { id } = await make();
  const note = { body: `@[Ann](user:${agent.userId}) please`, isInternal: true };
  const message = (await owner.call('POST', `/tickets/${id}/messages`, note)).body;
  const mentions = async (person: Person) => (await countsOf(person)).lists.mentions.count;
  expect([await mentions(agent), await mentions(owner)]).toEqual([1, 0]);
  await agent.call('PUT', `/tickets/${id}/seen`, { messageId: message.id });
  expect(await mentions(agent)).toBe(0);
  await owner.call('POST', `/tickets/${id}/archive`);
});

test('seen or closed tickets do not count as unread', async () => {
  const ticket = (await liveTicketsOf(owner)).find(({ unread }) => unread);
  await agent.call('PUT', `/tickets/${ticket.id}/seen`, { messageId: ticket.lastMessage.id });
  expect((await countsOf(agent)).lists.unread.count).toBe(0);
  expect((await countsOf(owner)).lists.unread.count).toBe(1);
  await agent.call('POST', `/tickets/${ticket.id}/status`, { toStatus: 'closed' });
  await owner.call('DELETE', `/tickets/${ticket.id}/seen`);
  expect((await countsOf(owner)).lists.unread.count).toBe(0);
});

test('own and shared views are counted, except views that search', async () => {
  const tagged = await make({ tags: ['blue'], requester: { email: 'ben@example.org' } });
  const save = async (person: Person, query: object, isShared = false): Promise<string> =>
    (await person.call('POST', '/views', { name: 'v', query, isShared })).body.id;
  const shared = await save(owner, { tags: ['Blue'] }, true);
  const own = await save(agent, { assignee: 'me', archived: 'any' });
  const ofContact = await save(agent, { contact: tagged.requester.contactId });
  await save(owner, { status: ['open'] });
  await save(agent, { search: 'printer' });
  const { views } = await countsOf(agent);
  expect(new Set(views)).toEqual(
    new Set([shared, own, ofContact].map((viewId) => ({ viewId, count: 1, isAtLeast: false }))),
  );
});

test('an empty list in the query of a view filters nothing', async () => {
  const all = await makeOwner(house);
  await all.call('POST', '/tickets', { subject: 's', body: 'b' });
  const lists = ['status', 'tags', 'assignee', 'mailbox', 'ids', 'delivery'];
  for (const name of lists) await all.call('POST', '/views', { name, query: { [name]: [] } });
  expect((await countsOf(all)).views.map(({ count }: any) => count)).toEqual(lists.map(() => 1));
});

describe('mailboxes', () => {
  const connect = ({ workspaceId }: Person, address: string) =>
    putMailbox(house, { workspaceId, provider: 'mail-a', address, refreshToken: 'none' });
  const write = async (person: Person, mailboxId: string, input: object = {}): Promise<any> => {
    const { status, body } = await person.call('POST', '/tickets', { subject: 's', body: 'b', mailboxId, ...input });
    expect(status).toBe(201);
    return body;
  };

  test('each is counted as the list of its open tickets', async () => {
    const [one, other] = [await makeOwner(house), await makeOwner(house)];
    const [sales, help] = [await connect(one, 'sales@example.com'), await connect(one, 'help@example.com')];
    const others = [await connect(other, 'sales@example.com'), await connect(other, 'help@example.com')];
    for (const { id } of others) await write(other, id);
    const [archived, snoozed, closed] = [
      await write(one, help.id),
      await write(one, help.id),
      await write(one, help.id),
    ];
    await one.call('POST', `/tickets/${archived.id}/archive`);
    await one.call('PATCH', `/tickets/${snoozed.id}`, { snoozedUntil: '2099-01-01T00:00:00Z' });
    await one.call('POST', `/tickets/${closed.id}/status`, { toStatus: 'closed' });
    for (const id of [help.id, sales.id, sales.id]) await write(one, id);
    await one.call('POST', '/tickets', { subject: 's', body: 'b' });
    const expected = [
      { mailboxId: help.id, count: 1, isAtLeast: false },
      { mailboxId: sales.id, count: 2, isAtLeast: false },
    ];
    expect((await countsOf(one)).mailboxes).toEqual(expected);
    expect((await one.call('GET', '/start')).body.counts.mailboxes).toEqual(expected);
    for (const { mailboxId, count } of expected) {
      const { body } = await one.call('GET', `/tickets?status=open&mailbox=${mailboxId}`);
      expect(body).toHaveLength(count);
    }
    expect((await countsOf(other)).mailboxes).toEqual(
      others.toReversed().map(({ id }) => ({ mailboxId: id, count: 1, isAtLeast: false })),
    );
  });

  test('a single one is not counted, nor a disconnected one', async () => {
    const one = await makeOwner(house);
    const [first, second] = [await connect(one, 'a@example.com'), await connect(one, 'b@example.com')];
    await write(one, first.id);
    expect((await countsOf(one)).mailboxes).toHaveLength(2);
    await one.call('DELETE', `/mailboxes/${second.id}`);
    expect((await countsOf(one)).mailboxes).toEqual([]);
  });
});

test('counts stop at a thousand', async () => {
  const other = await makeOwner(house);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel,
        message_count, last_message_at, created_at, updated_at, version, summary_version, search)
      select ${other.workspaceId}, gen_random_uuid(), n, 's', case when n > 1001 then 'closed' else 'open' end,
        'normal', 2, 'api', 0, now(), now(), now(), 1, 1, ''
      from generate_series(1, 2001) n`),
  );
  const { lists } = await countsOf(other);
  expect([lists.open, lists.closed, lists.pending]).toEqual([
    { count: 1_000, isAtLeast: true },
    { count: 1_000, isAtLeast: false },
    { count: 0, isAtLeast: false },
  ]);
});
