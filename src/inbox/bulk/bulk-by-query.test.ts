import { beforeAll, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { workOnBulkChange } from './run-bulk-change.ts';
import { sweepBulkChanges, sweepBulkTickets } from './sweep.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent');
});

/** Tickets that differ in everything that a change may change, all with one tag. */
async function plant(count: number, tag: string): Promise<void> {
  const { id } = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel, tags,
        tag_keys, assignee_id, snoozed_until, message_count, last_message_at, waiting_since, created_at, updated_at,
        version, summary_version, search)
      select t.workspace_id, gen_random_uuid(), c.last_number + n, 'Planted ' || n,
        (array['open', 'pending'])[1 + n % 2],
        'normal', 2, 'api', array[${tag}, 'n' || n % 7], array[${tag}, 'n' || n % 7],
        case when n % 3 = 0 then ${agent.userId}::uuid end, case when n % 5 = 0 then now() - interval '1 day' end, 0,
        now(), case when n % 4 = 0 then now() - interval '1 hour' end, now(), now(), 1, 1, ''
      from tickets t
      join ticket_counters c on c.workspace_id = t.workspace_id
      cross join generate_series(1, ${count}) n
      where t.workspace_id = ${owner.workspaceId} and t.id = ${id}`),
  );
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update ticket_counters set last_number = last_number + ${count} where workspace_id = ${owner.workspaceId}`),
  );
}

/** The rows of all tickets with a tag, and for whom they are unread, without what every write raises. */
async function stateOf(tag: string): Promise<unknown> {
  const rows = await house.app.db.rows<{ state: unknown }>(sql`
    select to_jsonb(t) - array['version', 'summary_version', 'updated_at', 'search', 'is_import_only']
      || jsonb_build_object('unread', (select array_agg(u.user_id order by u.user_id) from unread_tickets u
        where u.workspace_id = ${owner.workspaceId} and u.ticket_id = t.id)) as state
    from tickets t
    where t.workspace_id = ${owner.workspaceId} and ${tag} = any(t.tags)
    order by t.id`);
  return rows.map(({ state }) => state);
}

const bulk = (body: object, person = owner) => person.call('POST', '/tickets/bulk', body);
const read = async (id: string) => (await owner.call('GET', `/bulk-changes/${id}`)).body;
const steer = (id: string, verb: 'stop' | 'undo') => owner.call('POST', `/bulk-changes/${id}/${verb}`);
const work = (id: string) => workOnBulkChange(house.app.db, { workspaceId: owner.workspaceId, id });

/** Works as several processes do, until the change or its undo has ended. */
async function finish(id: string): Promise<any> {
  for (;;) {
    const change = await read(id);
    if (change.state !== 'running' && change.state !== 'undoing') return change;
    await Promise.all([work(id), work(id)]);
  }
}

async function begin(body: object): Promise<string> {
  const { status, body: change } = await bulk(body);
  expect({ status, change }).toMatchObject({ status: 202 });
  return change.id;
}

test('4,312 tickets are changed and brought back: each is as before, with one event each way', {
  timeout: 180_000,
}, async () => {
  await plant(4_312, 'fleet');
  const [planted] = (await owner.call('GET', '/tickets?tags=fleet&limit=1')).body;
  expect(
    (await bulk({ query: { tags: ['Fleet'] }, exceptIds: [planted.id], expectedCount: 4_312, status: 'closed' })).body,
  ).toMatchObject({ key: 'bulk_change.count_changed', params: { count: 4_311 } });
  const before = await stateOf('fleet');
  const preview = await owner.call('POST', '/tickets/bulk/preview', { query: { tags: ['Fleet'] } });
  expect(preview.body).toEqual({ count: 4_312 });
  const answer = await bulk({
    query: { tags: ['Fleet'] },
    expectedCount: 4_312,
    status: 'closed',
    reason: 'Replaced.',
  });
  expect(answer).toMatchObject({ status: 202, body: { state: 'running', total: 4_312, changed: 0, undoUntil: null } });
  const { id } = answer.body;
  expect(await finish(id)).toMatchObject({ state: 'done', changed: 4_312, refused: 0, refusals: [] });
  const closed = await owner.call('GET', '/tickets?tags=fleet&status=closed&limit=1');
  expect(closed.headers.get('x-total-count')).toBe('1000');
  expect((await steer(id, 'undo')).status).toBe(202);
  expect(await finish(id)).toMatchObject({
    state: 'undone',
    changed: 0,
    undone: 4_312,
    kept: 0,
    undoneBy: owner.userId,
  });
  expect(await stateOf('fleet')).toEqual(before);
  const events = await house.app.db.rows<{ each: number; tickets: number }>(sql`
    select x.each, count(*) as tickets from (
      select count(*) as each from activity a
      where a.workspace_id = ${owner.workspaceId} and a.ticket_id in (
        select t.id from tickets t where t.workspace_id = ${owner.workspaceId} and t.subject like 'Planted%')
      group by a.ticket_id) x
    group by x.each`);
  expect(events).toEqual([{ each: 2, tickets: 4_312 }]);
});

test('every kind of change is brought back to the same times, tags and unread marks', {
  timeout: 180_000,
}, async () => {
  const mails = ['one', 'two', 'three'].map((name) =>
    mailOf({ headers: { From: `${name}@example.org`, 'Message-ID': `<${name}@example.org>`, Subject: name } }),
  );
  await ingest(house, owner, mails);
  const tickets = (await owner.call('GET', '/tickets?limit=3')).body;
  for (const { id } of tickets) await owner.call('PATCH', `/tickets/${id}`, { tags: ['Kinds', 'b', 'A'] });
  await owner.call('POST', `/tickets/${tickets[1].id}/archive`);
  const query = { tags: ['kinds'], archived: 'any' };
  const changes = [
    { assigneeId: agent.userId, priority: 'urgent', addTags: ['c'], removeTags: ['B'], archive: true },
    { tags: ['kinds'], snoozedUntil: '2090-01-01T00:00:00Z', status: 'pending' },
    { archive: false },
    { spam: true },
    { trash: true },
    { status: 'closed', archive: true },
  ];
  for (const change of changes) {
    const before = await stateOf('Kinds');
    const id = await begin({ query, ...change });
    expect(await finish(id)).toMatchObject({ state: 'done', total: 3, refused: 0 });
    expect(await stateOf('Kinds')).not.toEqual(before);
    await steer(id, 'undo');
    expect(await finish(id)).toMatchObject({ state: 'undone', kept: 0 });
    expect({ change, state: await stateOf('Kinds') }).toEqual({ change, state: before });
  }
  // The same from the trash and from spam.
  for (const where of ['trash', 'spam']) {
    await finish(await begin({ query, [where]: true }));
    const before = await stateOf('Kinds');
    const id = await begin({ query: { tags: ['kinds'], [where]: true }, [where]: false });
    expect(await finish(id)).toMatchObject({ changed: 3 });
    await steer(id, 'undo');
    await finish(id);
    expect({ where, state: await stateOf('Kinds') }).toEqual({ where, state: before });
    await finish(await begin({ query: { tags: ['kinds'], [where]: true }, [where]: false }));
  }
});

describe('a change under way', () => {
  test('stops, leaves the rest alone, and can be undone', async () => {
    await plant(200, 'stopped');
    const id = await begin({ query: { tags: ['stopped'] }, priority: 'low' });
    const working = work(id);
    await expect.poll(async () => (await read(id)).changed, { interval: 1 }).toBeGreaterThan(0);
    expect((await steer(id, 'stop')).body.state).toBe('stopped');
    await working;
    const stopped = await read(id);
    expect(stopped.changed).toBeLessThan(200);
    const low = await owner.call('GET', '/tickets?tags=stopped&priority=low&limit=1');
    expect(Number(low.headers.get('x-total-count'))).toBe(stopped.changed);
    await steer(id, 'undo');
    expect(await finish(id)).toMatchObject({ state: 'undone', undone: stopped.changed });
    expect((await owner.call('GET', '/tickets?tags=stopped&priority=low')).body).toEqual([]);
  });

  test('is undone without being stopped first', async () => {
    await plant(150, 'turned');
    const before = await stateOf('turned');
    const id = await begin({ query: { tags: ['turned'] }, status: 'closed' });
    const working = work(id);
    await expect.poll(async () => (await read(id)).changed, { interval: 1 }).toBeGreaterThan(0);
    await steer(id, 'undo');
    await working;
    await finish(id);
    expect(await stateOf('turned')).toEqual(before);
  });

  test('ends when its member may no longer change tickets', async () => {
    await plant(5, 'left');
    const leaver = await makeMember(house, owner.workspaceId, 'agent');
    const { body } = await bulk({ query: { tags: ['left'] }, status: 'closed' }, leaver);
    await owner.call('PATCH', `/members/${leaver.userId}`, { role: 'viewer' });
    expect(await finish(body.id)).toMatchObject({ state: 'stopped', changed: 0 });
  });
});

test('an undo leaves alone what a person has changed since, and names these tickets', async () => {
  await plant(3, 'since');
  const [first, second] = (await owner.call('GET', '/tickets?tags=since')).body;
  const id = await begin({ query: { tags: ['since'] }, priority: 'high', addTags: ['late'] });
  await finish(id);
  await agent.call('PATCH', `/tickets/${first.id}`, { priority: 'urgent' });
  await owner.call('POST', `/tickets/${second.id}/merge`, { targetTicketId: first.id });
  await steer(id, 'undo');
  const undone = await finish(id);
  expect(undone).toMatchObject({ state: 'undone', undone: 1, kept: 2 });
  expect(undone.refusals).toHaveLength(2);
  expect(undone.refusals).toContainEqual({ ticketId: first.id, ticketNumber: first.ticketNumber, error: null });
  expect(undone.refusals).toContainEqual(
    expect.objectContaining({ ticketId: second.id, error: expect.objectContaining({ key: 'ticket.merged' }) }),
  );
  // The merge has brought tags along, so only the priority is checked.
  expect((await owner.call('GET', `/tickets/${first.id}`)).body).toMatchObject({ priority: 'urgent' });
});

test('an undo takes its tags away, and leaves those that another change has added or removed since', async () => {
  await plant(2, 'both');
  const first = await begin({ query: { tags: ['both'] }, addTags: ['alpha'], removeTags: ['both'] });
  await finish(first);
  const second = await begin({ query: { tags: ['alpha'] }, addTags: ['beta'] });
  await finish(second);
  const [one, other] = (await owner.call('GET', '/tickets?tags=alpha')).body;
  await agent.call('PATCH', `/tickets/${other.id}`, { tags: ['beta', 'own'] });
  await steer(first, 'undo');
  expect(await finish(first)).toMatchObject({ state: 'undone', undone: 1, kept: 1 });
  const tagsOf = async ({ id }: { id: string }) => {
    const { tags } = (await owner.call('GET', `/tickets/${id}`)).body;
    return tags.filter((tag: string) => !/^n\d/.test(tag)).toSorted();
  };
  expect(await tagsOf(one)).toEqual(['beta', 'both']);
  expect(await tagsOf(other)).toEqual(['beta', 'both', 'own']);
});

test('tickets that refuse the change are named, and the others change', async () => {
  await plant(3, 'full');
  const [first] = (await owner.call('GET', '/tickets?tags=full')).body;
  const tags = Array.from({ length: 49 }, (_, at) => `tag-${at}`);
  await owner.call('PATCH', `/tickets/${first.id}`, { addTags: tags, tags: ['full', ...tags] });
  const change = await finish(await begin({ query: { tags: ['full'] }, addTags: ['more'] }));
  expect(change).toMatchObject({ state: 'done', changed: 2, refused: 1 });
  expect(change.refusals).toEqual([
    expect.objectContaining({ ticketId: first.id, error: expect.objectContaining({ key: 'request.invalid' }) }),
  ]);
});

test('an empty list in the query is refused, because it could be meant as no ticket or as each', async () => {
  await plant(1, 'empty');
  const empty = { status: [], ids: [], assignee: [], mailbox: [], tags: [], delivery: [] };
  const query = { ...empty, tags: ['empty'] };
  const names = Object.keys(empty).filter((name) => name !== 'tags');
  for (const answer of [
    await bulk({ query, priority: 'high' }),
    await owner.call('POST', '/tickets/bulk/preview', { query }),
  ]) {
    expect(answer.status).toBe(400);
    expect(answer.body.params.issues.map(({ path, key }: any) => `${path} ${key}`)).toEqual(
      names.map((name) => `body.query.${name} too_few_items`),
    );
  }
});

test('a search selects as the list does, and new tickets are left alone', async () => {
  await owner.call('POST', '/tickets', { subject: 'Heliotrope one', body: 'b' });
  await owner.call('POST', '/tickets', { subject: 'Another', body: 'heliotrope' });
  const id = await begin({ query: { search: 'heliotrope', assignee: 'none' }, assigneeId: owner.userId });
  await owner.call('POST', '/tickets', { subject: 'Heliotrope later', body: 'b' });
  expect(await finish(id)).toMatchObject({ total: 2, changed: 2 });
  const late = (await owner.call('GET', '/tickets?search=heliotrope&assignee=none')).body;
  expect(late).toMatchObject([{ subject: 'Heliotrope later' }]);
});

test('the list tells who changed what, and the undo ends a day after the change', async () => {
  await plant(1, 'aged');
  const id = await begin({ query: { tags: ['aged'] }, status: 'closed' });
  await finish(id);
  const [newest] = (await agent.call('GET', '/bulk-changes')).body;
  expect(newest).toMatchObject({
    ...{ id, createdBy: owner.userId, state: 'done', query: { tags: ['aged'] }, change: { status: 'closed' } },
    undoUntil: expect.any(String),
  });
  const { db } = house.app;
  await db.tx((tx) =>
    tx.run(sql`
      update bulk_changes set finished_at = ${earlier(sql`finished_at`, '25 hours')}
      where workspace_id = ${owner.workspaceId} and id = ${id}`),
  );
  expect((await steer(id, 'undo')).body.key).toBe('bulk_change.undo_over');
  expect(await db.tx((tx) => sweepBulkTickets(tx, 10))).toBe(1);
  expect(await db.tx((tx) => sweepBulkChanges(tx, 10))).toBe(0);
  expect(await read(id)).toMatchObject({ changed: 1 });
  await db.tx((tx) =>
    tx.run(sql`
      update bulk_changes set finished_at = ${earlier(sql`finished_at`, '30 days')}
      where workspace_id = ${owner.workspaceId} and id = ${id}`),
  );
  expect(await db.tx((tx) => sweepBulkChanges(tx, 10))).toBe(1);
  expect((await owner.call('GET', `/bulk-changes/${id}`)).body.key).toBe('bulk_change.not_found');
});

describe('a change by query is refused:', () => {
  const refused: [string, object, string][] = [
    ['neither ids nor query', { status: 'closed' }, 'body.ids'],
    ['both', { ids: ['00000000-0000-7000-8000-000000000000'], query: {}, status: 'closed' }, 'body.ids'],
    ['nothing to change', { query: {} }, 'body'],
    ['a saved reply', { query: {}, savedReplyId: '00000000-0000-7000-8000-000000000000' }, 'body.savedReplyId'],
    ['a subject', { query: {}, subject: 'x' }, 'body.subject'],
    ['a query that matches nothing', { query: { tags: ['nowhere'] }, status: 'closed' }, 'body.query'],
    ['a wrong query', { query: { status: 'open' }, status: 'closed' }, 'body.query.status'],
    [
      'exceptions from ids',
      { ids: ['00000000-0000-7000-8000-000000000000'], exceptIds: [], archive: true },
      'body.exceptIds',
    ],
  ];
  test.each(refused)('%s', async (_what, body, path) => {
    const answer = await bulk(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ key: 'request.invalid', params: { issues: [{ path }] } });
  });

  test('more than five under way', async () => {
    await plant(1, 'busy');
    const begun = [];
    for (let n = 0; n < 5; n++) begun.push(await begin({ query: { tags: ['busy'] }, priority: `p${n}` }));
    expect((await bulk({ query: { tags: ['busy'] }, priority: 'low' })).body.key).toBe('bulk_change.busy');
    for (const id of begun) await finish(id);
  });
});
