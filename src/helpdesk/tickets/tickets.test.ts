import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent', 'Ann Agent');
});

async function make(input: object = {}): Promise<any> {
  const answer = await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It does not print.', ...input });
  expect(answer.status).toBe(201);
  return answer.body;
}

describe('create', () => {
  test('returns the ticket with every field and its ETag', async () => {
    const answer = await owner.call('POST', '/tickets', { subject: '  Printer  ', body: ' It does not print. ' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('etag')).toBe('"1"');
    expect(answer.body).toMatchObject({
      subject: 'Printer',
      status: 'open',
      priority: 'normal',
      assigneeId: null,
      tags: [],
      requester: null,
      channel: 'api',
      mailboxId: null,
      archivedAt: null,
      snoozedUntil: null,
      mergedIntoId: null,
      messageCount: 1,
      version: 1,
    });
    const read = await owner.call('GET', `/tickets/${answer.body.id}`);
    expect(read.body.messages).toHaveLength(1);
    expect(read.body.messages[0]).toMatchObject({
      direction: 'outbound',
      body: ' It does not print. ',
      isInternal: false,
      delivery: null,
      author: { type: 'agent', userId: owner.userId, email: owner.email },
    });
  });

  test('with a requester the first message is the customer’s', async () => {
    const ticket = await make({ requester: { email: 'Cust@Example.org', name: 'Cust Omer' } });
    expect(ticket.requester).toMatchObject({ email: 'Cust@Example.org', name: 'Cust Omer' });
    const { body } = await owner.call('GET', `/tickets/${ticket.id}`);
    expect(body.messages[0]).toMatchObject({
      direction: 'inbound',
      author: { type: 'customer', userId: null, name: 'Cust Omer' },
    });
  });

  test('tags are compared without case and keep their first spelling', async () => {
    const ticket = await make({ tags: ['Billing', 'billing ', 'VIP'] });
    expect(ticket.tags).toEqual(['Billing', 'VIP']);
  });

  test('an assignee who is not a member is refused, and the next ticket has a higher number', async () => {
    const stranger = await makeOwner(house, 'Elsewhere');
    const before = await make();
    for (const assigneeId of [stranger.userId, newId()]) {
      const answer = await owner.call('POST', '/tickets', { subject: 'a', body: 'b', assigneeId });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ key: 'request.invalid', params: { issues: [{ path: 'body.assigneeId' }] } });
    }
    expect((await make()).ticketNumber).toBeGreaterThan(before.ticketNumber);
  });

  test('an assignee is notified, but not of their own assignment', async () => {
    await make({ assigneeId: agent.userId, subject: 'For Ann' });
    await make({ assigneeId: owner.userId, subject: 'For me' });
    const told = await agent.call('GET', '/notifications');
    expect(told.body.items[0]).toMatchObject({ type: 'assignment', actorId: owner.userId, readAt: null });
    expect(told.body.items[0].title).toContain('For Ann');
    expect((await owner.call('GET', '/notifications')).body.items).toEqual([]);
  });

  test('a mention in an agent’s first message notifies the member once, in place of the assignment', async () => {
    const before = (await agent.call('GET', '/notifications/unread-count')).body.count;
    await make({ body: `@[Ann](user:${agent.userId})`, assigneeId: agent.userId });
    expect((await agent.call('GET', '/notifications/unread-count')).body.count).toBe(before + 1);
    expect((await agent.call('GET', '/notifications')).body.items[0]).toMatchObject({ type: 'mention' });
    await make({ body: `@[Ann](user:${agent.userId})`, requester: { email: 'c@example.org' } });
    expect((await agent.call('GET', '/notifications/unread-count')).body.count).toBe(before + 1);
  });

  test('reports every fault at once', async () => {
    const answer = await owner.call('POST', '/tickets', {
      subject: ' ',
      body: 7,
      tags: 'x',
      assigneeId: 'me',
      priority: '',
    });
    expect(answer.status).toBe(400);
    expect(answer.body.params.issues.map((issue: any) => issue.path).sort()).toEqual([
      'body.assigneeId',
      'body.body',
      'body.priority',
      'body.subject',
      'body.tags',
    ]);
  });

  test('text lengths count code points after trimming', async () => {
    expect((await owner.call('POST', '/tickets', { subject: ` ${'😀'.repeat(500)} `, body: 'b' })).status).toBe(201);
    expect((await owner.call('POST', '/tickets', { subject: '😀'.repeat(501), body: 'b' })).status).toBe(400);
    expect((await owner.call('POST', '/tickets', { subject: 'a', body: ' \n ' })).status).toBe(400);
    expect(
      (
        await owner.call('POST', '/tickets', {
          subject: 'a',
          body: 'b',
          tags: Array.from({ length: 10_000 }, (_, i) => `t${i}`),
        })
      ).status,
    ).toBe(400);
  });

  test('200 concurrent tickets get the numbers 1 to 200 without repeats or gaps', async () => {
    const other = await makeOwner(house, 'Busy');
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => other.call('POST', '/tickets', { subject: `t${index}`, body: 'b' })),
    );
    const numbers = answers.map(({ body }) => body.ticketNumber).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  });
});

describe('update', () => {
  test('changes and records the given fields, and raises the version', async () => {
    const ticket = await make({ tags: ['a'] });
    const answer = await owner.call('PATCH', `/tickets/${ticket.id}`, {
      priority: 'HIGH',
      tags: ['b'],
      assigneeId: agent.userId,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ priority: 'high', tags: ['b'], assigneeId: agent.userId, version: 2 });
    expect(answer.headers.get('etag')).toBe('"2"');
    const { body } = await owner.call('GET', `/tickets/${ticket.id}/events`);
    expect(body.items.map((event: any) => event.type).sort()).toEqual([
      'ticket.assigned',
      'ticket.created',
      'ticket.priority_changed',
      'ticket.tagged',
    ]);
    const { body: read } = await owner.call('GET', `/tickets/${ticket.id}`);
    const {
      messages: _,
      replyDefaults: __,
      drafts: ___,
      unread: ____,
      earlierCursor: _____,
      hasDraft: ______,
      replyOffers: _______,
      ...withoutMessages
    } = read;
    expect(withoutMessages).toEqual(answer.body);
  });

  test('appears in the events, which page by cursor without gaps or repeats', async () => {
    const ticket = await make();
    for (const priority of ['high', 'low']) await owner.call('PATCH', `/tickets/${ticket.id}`, { priority });
    const events = `/tickets/${ticket.id}/events`;
    const { items } = (await owner.call('GET', events)).body;
    const first = (await owner.call('GET', `${events}?limit=2`)).body;
    const second = (await owner.call('GET', `${events}?limit=2&cursor=${first.nextCursor}`)).body;
    expect([items.length, ...first.items, ...second.items]).toEqual([3, ...items]);
  });

  test('an empty change and an equal one keep version and facts', async () => {
    const ticket = await make({ tags: ['a'] });
    expect((await owner.call('PATCH', `/tickets/${ticket.id}`, {})).body.version).toBe(1);
    expect((await owner.call('PATCH', `/tickets/${ticket.id}`, { tags: ['a'], priority: 'normal' })).body.version).toBe(
      1,
    );
    expect((await owner.call('GET', `/tickets/${ticket.id}/events`)).body.items).toHaveLength(1);
  });

  test('the same tags in another order or case are no change, and kept tags keep their spelling', async () => {
    const ticket = await make({ tags: ['VIP', 'new'] });
    expect((await owner.call('PATCH', `/tickets/${ticket.id}`, { tags: ['NEW', 'vip'] })).body).toMatchObject({
      version: 1,
      tags: ['VIP', 'new'],
    });
    expect((await owner.call('PATCH', `/tickets/${ticket.id}`, { tags: ['vip', 'x'] })).body.tags).toEqual([
      'VIP',
      'x',
    ]);
  });

  test('a requester’s name can be set and corrected', async () => {
    const ticket = await make({ requester: { email: 'named@example.org' } });
    const path = `/tickets/${ticket.id}`;
    const named = await owner.call('PATCH', path, { requester: { email: 'Named@example.org', name: 'Now Named' } });
    expect(named.body).toMatchObject({ requester: { name: 'Now Named' } });
    expect((await owner.call('GET', '/tickets?search=now%20named')).body).toHaveLength(1);
    const unnamed = await owner.call('PATCH', path, { requester: { email: 'named@example.org' } });
    expect(unnamed.body.requester.name).toBe('Now Named');
    const other = await make({ requester: { email: 'named@example.org', name: 'Renamed' } });
    expect(other.requester.name).toBe('Renamed');
  });

  test('another or oddly written If-Match matches nothing', async () => {
    const ticket = await make();
    for (const tag of ['W/"2"', '"01"', '1', 'W/1', '"1-x"', 'x']) {
      expect(
        (await owner.call('PATCH', `/tickets/${ticket.id}`, { priority: 'low' }, { 'if-match': tag })).status,
      ).toBe(412);
    }
    expect(
      (await owner.call('PATCH', `/tickets/${ticket.id}`, { priority: 'low' }, { 'if-match': '"7", "1"' })).status,
    ).toBe(200);
  });

  test.each(['W/"1"', 'W/"7", W/"1"', '"1-gzip"', 'W/"1-br"', '"1--gzip"'])(
    'If-Match: %s is the version 1, as proxies that compress write it',
    async (tag) => {
      const path = `/tickets/${(await make()).id}`;
      expect((await owner.call('PATCH', path, { priority: 'low' }, { 'if-match': tag })).status).toBe(200);
      expect((await owner.call('PATCH', path, { priority: 'high' }, { 'if-match': tag })).status).toBe(412);
    },
  );

  test('null clears the assignee and the requester', async () => {
    const ticket = await make({ assigneeId: agent.userId, requester: { email: 'x@example.org' } });
    const { body } = await owner.call('PATCH', `/tickets/${ticket.id}`, { assigneeId: null, requester: null });
    expect(body).toMatchObject({ assigneeId: null, requester: null });
  });

  test('a stale If-Match is refused with the current version, and without If-Match the write succeeds', async () => {
    const ticket = await make();
    const path = `/tickets/${ticket.id}`;
    expect((await owner.call('PATCH', path, { priority: 'low' }, { 'if-match': '"1"' })).status).toBe(200);
    const stale = await owner.call('PATCH', path, { priority: 'high' }, { 'if-match': '"1"' });
    expect(stale.status).toBe(412);
    expect(stale.body).toMatchObject({ key: 'ticket.version_mismatch', params: { currentVersion: 2 } });
    expect((await owner.call('PATCH', path, { priority: 'high' })).status).toBe(200);
    expect((await owner.call('POST', `${path}/archive`, undefined, { 'if-match': '"1"' })).status).toBe(412);
    expect((await owner.call('POST', `${path}/status`, { toStatus: 'closed' }, { 'if-match': '"9"' })).status).toBe(
      412,
    );
  });

  test('of two writes with the same If-Match, one succeeds', async () => {
    const ticket = await make();
    const answers = await Promise.all(
      ['low', 'high'].map((priority) =>
        owner.call('PATCH', `/tickets/${ticket.id}`, { priority }, { 'if-match': '"1"' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

describe('status and archive', () => {
  test('closes with a reason and reopens; the same status changes nothing', async () => {
    const ticket = await make();
    const closed = await owner.call('POST', `/tickets/${ticket.id}/status`, { toStatus: 'closed', reason: ' solved ' });
    expect(closed.body).toMatchObject({ status: 'closed', version: 2 });
    expect(
      (await owner.call('POST', `/tickets/${ticket.id}/status`, { toStatus: 'closed', reason: 'again' })).body.version,
    ).toBe(2);
    expect(
      (await owner.call('POST', `/tickets/${ticket.id}/status`, { toStatus: 'open', reason: '' })).body.status,
    ).toBe('open');
    const { body } = await owner.call('GET', `/tickets/${ticket.id}/events`);
    expect(body.items.slice(1).map((event: any) => event.data)).toEqual([
      { from: 'open', to: 'closed', reason: 'solved' },
      { from: 'closed', to: 'open', reason: null },
    ]);
    expect((await owner.call('POST', `/tickets/${ticket.id}/status`, { toStatus: 'done' })).status).toBe(400);
  });

  test('archive hides from the list and unarchive brings back, with or without a body', async () => {
    const ticket = await make();
    const archived = await owner.call('POST', `/tickets/${ticket.id}/archive`, undefined, {
      'content-type': 'application/json',
    });
    expect(archived.status).toBe(200);
    expect(archived.body.archivedAt).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    expect((await owner.call('POST', `/tickets/${ticket.id}/archive`)).body.archivedAt).toBe(archived.body.archivedAt);
    const ids = async (query: string) =>
      (await owner.call('GET', `/tickets?limit=500${query}`)).body.map((t: any) => t.id);
    expect(await ids('')).not.toContain(ticket.id);
    expect(await ids('&archived=true')).toEqual([ticket.id]);
    expect(await ids('&archived=any')).toContain(ticket.id);
    expect((await owner.call('POST', `/tickets/${ticket.id}/unarchive`)).body.archivedAt).toBeNull();
    expect(await ids('')).toContain(ticket.id);
  });
});
