import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { lockWaits } from '../../../test/harness/races.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { issueAt } from '../../ground/lib/issues.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent');
});

async function make(count: number, input: object = {}): Promise<string[]> {
  const made = Array.from({ length: count }, () =>
    owner.call('POST', '/tickets', { subject: 'Printer', body: 'It does not print.', ...input }),
  );
  return (await Promise.all(made)).map(({ body }) => body.id);
}
const bulk = (body: object, headers: Record<string, string> = {}) => owner.call('POST', '/tickets/bulk', body, headers);
const read = async (id: string) => (await owner.call('GET', `/tickets/${id}`)).body;
const eventsOf = async (id: string): Promise<any[]> => (await owner.call('GET', `/tickets/${id}/events`)).body.items;
const done = (ids: string[]) => ids.map((id) => ({ id, status: 200, version: expect.any(Number) }));

describe('a bulk change', () => {
  test('makes every change to every ticket, and returns results in the requested order', async () => {
    const ids = (await make(5, { tags: ['Old', 'kept'] })).reverse();
    const snoozedUntil = new Date(house.clock.now().getTime() + 60_000).toISOString();
    const answer = await bulk({
      ids,
      subject: 'Printers',
      assigneeId: agent.userId,
      priority: 'High',
      addTags: ['new', 'KEPT'],
      removeTags: ['old', 'nowhere'],
      requester: { email: 'c@example.org', name: 'Cust Omer' },
      snoozedUntil,
      status: 'closed',
      reason: 'The fleet was replaced.',
      archive: true,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ results: done(ids) });
    const versions = new Map(answer.body.results.map(({ id, version }: any) => [id, version]));
    for (const id of ids) {
      expect(await read(id)).toMatchObject({
        version: versions.get(id),
        subject: 'Printers',
        assigneeId: agent.userId,
        priority: 'high',
        tags: ['kept', 'new'],
        requester: { email: 'c@example.org', name: 'Cust Omer' },
        snoozedUntil,
        status: 'closed',
        archivedAt: expect.any(String),
      });
      const events = await eventsOf(id);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: 'ticket.status_changed',
          actor: expect.objectContaining({ userId: owner.userId }),
          data: { from: 'open', to: 'closed', reason: 'The fleet was replaced.' },
        }),
      );
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'ticket.tagged', data: { added: ['new'], removed: ['Old'] } }),
      );
    }
    const { items } = (await agent.call('GET', '/notifications')).body;
    expect(items).toMatchObject([{ type: 'assignment', title: 'You were assigned 5 tickets', count: 5, readAt: null }]);
    expect(ids).toContain(items[0].referenceId);
  });

  test('undoes by null and false what can be undone', async () => {
    const ids = await make(2, { assigneeId: agent.userId, requester: { email: 'c@example.org' } });
    await bulk({ ids, archive: true, snoozedUntil: '2090-01-01T00:00:00Z' });
    await bulk({ ids, archive: false, snoozedUntil: null, assigneeId: null, requester: null, tags: [] });
    for (const id of ids) {
      expect(await read(id)).toMatchObject({
        archivedAt: null,
        snoozedUntil: null,
        assigneeId: null,
        requester: null,
      });
    }
  });

  test('accepts a repeated id once', async () => {
    const [id = ''] = await make(1);
    const answer = await bulk({ ids: [id, id.toUpperCase(), id], status: 'pending' });
    expect(answer.body).toEqual({ results: done([id]) });
    expect((await read(id)).version).toBe(2);
  });

  test('to the present state changes nothing', async () => {
    const [id = ''] = await make(1, { tags: ['VIP'], priority: 'high' });
    const answer = await bulk({ ids: [id], status: 'open', archive: false, addTags: ['vip'], priority: 'HIGH' });
    expect(answer.body).toEqual({ results: done([id]) });
    expect(await read(id)).toMatchObject({ version: 1, tags: ['VIP'] });
  });

  test('reports the tickets that could not be changed and changes the others', async () => {
    const stranger = await makeOwner(house, 'Elsewhere');
    const foreign = (await stranger.call('POST', '/tickets', { subject: 'Theirs', body: 'b' })).body.id;
    const [first = '', merged = '', target = '', full = ''] = await make(4);
    await owner.call('POST', `/tickets/${merged}/merge`, { targetTicketId: target });
    const fifty = Array.from({ length: 50 }, (_tag, index) => `tag-${index}`);
    await owner.call('PATCH', `/tickets/${full}`, { tags: fifty });
    const unknown = newId();
    const { status, body } = await bulk({
      ids: [foreign, first, merged, unknown, full, target],
      addTags: ['one-more'],
      status: 'closed',
    });
    expect(status).toBe(200);
    const notFound = { key: 'ticket.not_found', params: {}, fallbackMessage: expect.any(String) };
    expect(body.results).toEqual([
      { id: foreign, status: 404, error: notFound },
      ...done([first]),
      {
        id: merged,
        status: 409,
        error: { key: 'ticket.merged', params: { mergedIntoId: target }, fallbackMessage: expect.any(String) },
      },
      { id: unknown, status: 404, error: notFound },
      {
        id: full,
        status: 400,
        error: {
          key: 'request.invalid',
          params: { issues: [issueAt('body.addTags', 'too_many_tags', { limit: 50 })] },
          fallbackMessage: expect.any(String),
        },
      },
      ...done([target]),
    ]);
    expect(await read(first)).toMatchObject({ status: 'closed', tags: ['one-more'] });
    // Neither the tags nor the status changed: a ticket changes completely or not at all.
    expect(await read(full)).toMatchObject({ status: 'open', tags: fifty });
    expect((await stranger.call('GET', `/tickets/${foreign}`)).body).toMatchObject({ status: 'open', tags: [] });
  });

  test('changes every ticket while others change them too', async () => {
    const ids = await make(12);
    const answers = await Promise.all([
      bulk({ ids, addTags: ['a'] }),
      bulk({ ids: ids.toReversed(), addTags: ['b'] }),
      bulk({ ids, addTags: ['c'], requester: { email: 'same@example.org' } }),
      ...ids.map((id) => agent.call('POST', `/tickets/${id}/messages`, { body: 'Meanwhile.' })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, ...ids.map(() => 201)]);
    for (const id of ids) {
      const ticket = await read(id);
      expect(ticket.tags.toSorted()).toEqual(['a', 'b', 'c']);
      expect(ticket).toMatchObject({ messageCount: 2, version: 5 });
    }
  });

  test('does not wait for everything that another workspace has requested', async () => {
    const stranger = await makeOwner(house);
    const theirs = await stranger.call('POST', '/tickets', { subject: 'Mouse', body: 'It does not click.' });
    const [held = ''] = await make(1);
    const order: string[] = [];
    await house.app.db
      .tx(async (tx) => {
        await tx.run(sql`
        select from tickets where workspace_id = ${owner.workspaceId} and id = ${held} for update`);
        const many = Array.from({ length: 8 }, (_item, index) =>
          bulk({ ids: [held], priority: `p${index}` }).then(() => order.push('many')),
        );
        await until(async () => (await findWaiting()) !== undefined);
        const one = stranger
          .call('POST', '/tickets/bulk', { ids: [theirs.body.id], priority: 'high' })
          .then(() => order.push('one'));
        // The requests use several connections. Once the server has answered many later ones, all of these wait for
        // their turn, on a busy machine too.
        for (let asked = 0; asked < 40; asked++) await stranger.call('GET', '/tickets?limit=1');
        return { all: [...many, one] };
      })
      .then(({ all }) => Promise.all(all));
    // In order of arrival it would be the last of nine.
    expect(order.indexOf('one')).toBeLessThan(7);
  });

  test('of 500 tickets is one request', async () => {
    const [first = ''] = await make(1);
    const copied = await house.app.db.rows<{ id: string }>(sql`
      insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel,
        message_count, last_message_at, created_at, updated_at, version, search)
      select workspace_id, gen_random_uuid(), 100000 + n, subject, status, priority, priority_rank, channel, 0,
        last_message_at, created_at, updated_at, 1, search
      from tickets, generate_series(1, 500) n
      where workspace_id = ${owner.workspaceId} and id = ${first}
      returning id`);
    const ids = copied.map(({ id }) => id);
    const { body } = await bulk({ ids, status: 'closed', addTags: ['fleet'], assigneeId: owner.userId });
    expect(body).toEqual({ results: done(ids) });
    const closed = await owner.call('GET', '/tickets?status=closed&tags=fleet&limit=1');
    expect(closed.headers.get('x-total-count')).toBe('500');
    expect((await bulk({ ids: [...ids, newId()], status: 'open' })).status).toBe(400);
  });
});

describe('a bulk change that is wrong for every ticket is refused as a whole:', () => {
  const refused: [string, object, string][] = [
    ['nothing to change', {}, 'body'],
    ['a reason alone', { reason: 'Because.' }, 'body'],
    ['unknown fields alone', { colour: 'red' }, 'body'],
    ['no ids', { ids: [], status: 'closed' }, 'body.ids'],
    ['an id that is none', { ids: ['7'], status: 'closed' }, 'body.ids.0'],
    ['an unknown status', { status: 'solved' }, 'body.status'],
    ['a wrong type', { archive: 'true' }, 'body.archive'],
    ['an assignee who is no member', { assigneeId: newId() }, 'body.assigneeId'],
    ['a time that is past', { snoozedUntil: '2020-01-01T00:00:00Z' }, 'body.snoozedUntil'],
    ['51 tags', { addTags: Array.from({ length: 51 }, (_tag, index) => `${index}`) }, 'body.addTags'],
  ];
  test.each(refused)('%s', async (_what, body, path) => {
    const [id = ''] = await make(1);
    const answer = await bulk({ ids: [id], priority: path === 'body' ? undefined : 'high', ...body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ key: 'request.invalid', params: { issues: [{ path }] } });
    expect((await read(id)).version).toBe(1);
  });

  test('and viewers are refused', async () => {
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    const answer = await viewer.call('POST', '/tickets/bulk', { ids: await make(1), status: 'closed' });
    expect(answer.body.key).toBe('auth.role_insufficient');
  });
});

describe('a bulk change with an Idempotency-Key', () => {
  test('happens once, and the repeat gets the same answer', async () => {
    const [id = ''] = await make(1);
    const ids = [id, newId()];
    const first = await bulk({ ids, status: 'closed' }, { 'idempotency-key': 'bulk-1' });
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'open' });
    const again = await bulk({ ids, status: 'closed' }, { 'idempotency-key': 'bulk-1' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await read(id)).status).toBe('open');
    const other = await bulk({ ids, status: 'pending' }, { 'idempotency-key': 'bulk-1' });
    expect(other.body.key).toBe('idempotency.key_reused');
  });

  test('stores no answer that refuses it', async () => {
    const ids = await make(1);
    expect((await bulk({ ids }, { 'idempotency-key': 'bulk-2' })).status).toBe(400);
    expect((await bulk({ ids, status: 'closed' }, { 'idempotency-key': 'bulk-2' })).status).toBe(200);
  });

  test('stores no answer with unfinished tickets: a repeat changes them', async () => {
    const ids = await make(2);
    const headers = { 'idempotency-key': 'bulk-4' };
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`
        select from tickets where workspace_id = ${owner.workspaceId} and id = ${ids[0]} for update`);
      const first = bulk({ ids, status: 'closed' }, headers);
      await until(async () => (await findWaiting()) !== undefined);
      await tx.run(sql`select pg_terminate_backend(${await findWaiting()}::integer)`);
      expect((await first).body.results.map(({ status }: { status: number }) => status)).toEqual([503, 200]);
    });
    const again = await bulk({ ids, status: 'closed' }, headers);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(again.body).toEqual({ results: done(ids) });
  });

  test('is refused while the first one runs, and many repeats do not block the service', async () => {
    const ids = await make(20);
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const held = house.app.db.tx(async (tx) => {
      await tx.run(sql`
        select from tickets where workspace_id = ${owner.workspaceId} and id = ${ids[0]} for update`);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const first = bulk({ ids, status: 'closed' }, { 'idempotency-key': 'bulk-3' });
    await until(async () => (await read(ids[19] ?? '')).status === 'closed');
    const repeat = await bulk({ ids, status: 'closed' }, { 'idempotency-key': 'bulk-3' });
    expect(repeat).toMatchObject({ status: 409, body: { key: 'idempotency.in_progress' } });
    const others = Array.from({ length: 15 }, (_item, index) =>
      bulk({ ids, addTags: [`t${index}`] }, { 'idempotency-key': `bulk-many-${index}` }),
    );
    expect((await agent.call('GET', '/tickets')).status).toBe(200);
    release.resolve();
    await held;
    expect((await first).body).toEqual({ results: done(ids) });
    for (const { body } of await Promise.all(others)) expect(body).toEqual({ results: done(ids) });
    expect((await read(ids[7] ?? '')).tags).toHaveLength(15);
  });
});

/** Finds the connection that waits for a ticket's lock. */
async function findWaiting(): Promise<number | undefined> {
  return (await lockWaits(house))[0]?.waiting;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}
