import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();
let owner: Person;
let agent: Person;
let viewer: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent');
  viewer = await makeMember(house, owner.workspaceId, 'viewer');
});

async function save(person: Person, view: object = {}): Promise<any> {
  const answer = await person.call('POST', '/views', { name: 'Mine', query: { assignee: 'me' }, ...view });
  expect(answer.status).toBe(201);
  return answer.body;
}
const namesOf = async (person: Person): Promise<string[]> =>
  (await person.call('GET', '/views')).body.map(({ name }: any) => name);

test('a view stores a list query that the list accepts unchanged', async () => {
  const query = {
    status: ['open', 'pending'],
    assignee: 'ME',
    priority: 'High',
    tags: ['VIP', 'billing'],
    search: 'printer -fax',
    archived: 'any',
    snoozed: false,
    sort: 'priority',
    order: 'asc',
  };
  const view = await save(agent, { name: '  Urgent  ', query });
  expect(view).toEqual({
    id: expect.any(String),
    name: 'Urgent',
    query,
    isShared: false,
    createdBy: agent.userId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect((await agent.call('GET', `/views/${view.id}`)).body).toEqual(view);
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => [value].flat().map((one): [string, string] => [key, String(one)])),
  );
  await agent.call('POST', '/tickets', {
    subject: 'The printer',
    body: 'b',
    assigneeId: agent.userId,
    priority: 'high',
    tags: ['vip', 'Billing'],
  });
  const listed = await agent.call('GET', `/tickets?${parameters}`);
  expect(listed.body).toMatchObject([{ subject: 'The printer' }]);
});

test('a view is refused whose query has an unknown field, or names what does not exist', async () => {
  const id = '01900000-0000-7000-8000-000000000000';
  const refused = async (query: object) => {
    const { status, body } = await agent.call('POST', '/views', { name: 'Mine', query });
    return [status, ...body.params.issues.map(({ path, key }: any) => `${path} ${key}`)];
  };
  const fields = ['colour', 'cursor', 'limit'].map((name) => `body.query.${name} not_a_field`);
  expect(await refused({ status: ['open'], colour: 'red', cursor: 'x', limit: 7 })).toEqual([400, ...fields]);
  expect(await refused({ mailbox: [id] })).toEqual([400, 'body.query.mailbox not_a_mailbox']);
  expect(await refused({ assignee: ['me', id] })).toEqual([400, 'body.query.assignee not_a_member']);
  expect(await refused({ contact: id })).toEqual([400, 'body.query.contact not_a_contact']);
  const view = await save(agent);
  const { status } = await agent.call('PATCH', `/views/${view.id}`, { query: { mailbox: [id] } });
  expect(status).toBe(400);
});

test('a view goes on to name a member who has left, but names no other one', async () => {
  const leaver = await makeMember(house, owner.workspaceId, 'agent');
  const another = await makeMember(house, owner.workspaceId, 'agent');
  const query = { assignee: [leaver.userId, agent.userId] };
  const view = await save(agent, { query });
  for (const { userId } of [leaver, another]) await owner.call('DELETE', `/members/${userId}`);
  const change = (assignee: string[]) =>
    agent.call('PATCH', `/views/${view.id}`, { name: 'Kept', query: { assignee } });
  expect(await change([agent.userId, leaver.userId.toUpperCase()])).toMatchObject({ status: 200 });
  expect(await change([leaver.userId, another.userId])).toMatchObject({ status: 400 });
  // Once the view no longer names the member, it cannot again.
  expect(await change([agent.userId])).toMatchObject({ status: 200 });
  expect(await change([leaver.userId])).toMatchObject({ status: 400 });
});

test('invalid queries are refused with the path of the fault', async () => {
  const wrong: [object, string][] = [
    [{ query: { status: ['solved'] } }, 'body.query.status.0'],
    [{ query: { status: 'open' } }, 'body.query.status'],
    [{ query: { assignee: 'ann' } }, 'body.query.assignee'],
    [{ query: { snoozed: 'true' } }, 'body.query.snoozed'],
    [{ query: { sort: 'colour' } }, 'body.query.sort'],
    [{ query: { search: 'x'.repeat(1_001) } }, 'body.query.search'],
    [{ query: [] }, 'body.query'],
    [{ query: undefined }, 'body.query'],
    [{ name: '   ' }, 'body.name'],
    [{ name: 'x'.repeat(101) }, 'body.name'],
    [{ isShared: 1 }, 'body.isShared'],
  ];
  for (const [body, path] of wrong) {
    const answer = await agent.call('POST', '/views', { name: 'n', query: {}, ...body });
    expect({ path, status: answer.status, issues: answer.body.params.issues }).toMatchObject({
      status: 400,
      issues: [{ path }],
    });
  }
});

describe('a personal view', () => {
  test('is visible only to its owner, who may be a viewer', async () => {
    for (const person of [agent, viewer]) {
      const view = await save(person, { name: `Of ${person.email}` });
      for (const other of [agent, viewer, owner].filter((one) => one !== person)) {
        expect(await namesOf(other)).not.toContain(view.name);
        for (const [method, body] of [['GET'], ['PATCH', { name: 'Taken' }], ['DELETE']] as const) {
          const answer = await other.call(method, `/views/${view.id}`, body);
          expect(answer).toMatchObject({ status: 404, body: { key: 'view.not_found' } });
        }
      }
      const changed = await person.call('PATCH', `/views/${view.id}`, { name: 'Other', query: { status: ['open'] } });
      expect(changed.body).toMatchObject({ name: 'Other', query: { status: ['open'] }, isShared: false });
      expect((await person.call('PATCH', `/views/${view.id}`, {})).body).toEqual(changed.body);
      expect((await person.call('DELETE', `/views/${view.id}`)).status).toBe(204);
      expect((await person.call('GET', `/views/${view.id}`)).status).toBe(404);
    }
  });

  test('is deleted with its owner’s membership, while a shared view stays', async () => {
    const leaving = await makeMember(house, owner.workspaceId, 'agent');
    await save(leaving, { name: 'Going' });
    const shared = await save(leaving, { name: 'Staying', isShared: true });
    await house.app.db.tx((tx) =>
      tx.run(sql`delete from members where workspace_id = ${owner.workspaceId} and user_id = ${leaving.userId}`),
    );
    const left = await house.app.db.rows(sql`
      select name from views where workspace_id = ${owner.workspaceId} and created_by = ${leaving.userId}`);
    expect(left).toEqual([{ name: 'Staying' }]);
    const renamed = await agent.call('PATCH', `/views/${shared.id}`, { name: 'Stayed' });
    expect(renamed.body).toMatchObject({ name: 'Stayed', createdBy: leaving.userId });
  });
});

describe('a shared view', () => {
  test('is visible to all members, and those who may change tickets may change it', async () => {
    const view = await save(owner, { name: 'All of us', isShared: true });
    for (const person of [owner, agent, viewer]) expect(await namesOf(person)).toContain('All of us');
    expect((await agent.call('PATCH', `/views/${view.id}`, { query: { tags: ['vip'] } })).body).toMatchObject({
      query: { tags: ['vip'] },
      isShared: true,
      createdBy: owner.userId,
    });
    const refused = await viewer.call('PATCH', `/views/${view.id}`, { name: 'n' });
    expect(refused).toMatchObject({ status: 403, body: { key: 'auth.role_insufficient' } });
  });

  test('cannot be created by a viewer', async () => {
    const answer = await viewer.call('POST', '/views', { name: 'n', query: {}, isShared: true });
    expect(answer.body.key).toBe('auth.role_insufficient');
    const own = await save(viewer);
    const shared = await viewer.call('PATCH', `/views/${own.id}`, { isShared: true });
    expect(shared.body.key).toBe('auth.role_insufficient');
  });

  test('can be made personal only by its creator, and deleted by its creator and admins', async () => {
    const view = await save(agent, { name: 'Shared', isShared: true });
    const colleague = await makeMember(house, owner.workspaceId, 'agent');
    for (const [method, body] of [['PATCH', { isShared: false }], ['DELETE']] as const) {
      const answer = await colleague.call(method, `/views/${view.id}`, body);
      expect(answer.body.key).toBe('auth.role_insufficient');
    }
    expect((await agent.call('PATCH', `/views/${view.id}`, { isShared: false })).body.isShared).toBe(false);
    expect((await colleague.call('GET', `/views/${view.id}`)).status).toBe(404);
    await agent.call('PATCH', `/views/${view.id}`, { isShared: true });
    expect((await owner.call('DELETE', `/views/${view.id}`)).status).toBe(204);
  });
});

test('views are sorted by name, ignoring case and accents', async () => {
  const person = await makeOwner(house);
  for (const name of ['zebra', 'Émile', 'apple', 'eagle', 'Zoe']) await save(person, { name });
  expect(await namesOf(person)).toEqual(['apple', 'eagle', 'Émile', 'zebra', 'Zoe']);
});

test('a member has at most 200 views, even by concurrent requests, and a repeated key creates one view', async () => {
  const person = await makeOwner(house);
  const view = { name: 'Once', query: {} };
  const answers = [];
  for (let turn = 0; turn < 2; turn++)
    answers.push(await person.call('POST', '/views', view, { 'idempotency-key': 'view' }));
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into views (workspace_id, id, owner_id, created_by, name, query, created_at, updated_at)
      select workspace_id, gen_random_uuid(), owner_id, created_by, name, query, created_at, updated_at
      from views, generate_series(1, 197)
      where workspace_id = ${person.workspaceId}`),
  );
  const racing = await Promise.all(Array.from({ length: 8 }, () => person.call('POST', '/views', view)));
  expect(racing.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409, 409, 409]);
  const refused = racing.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ key: 'view.too_many', params: { max: 200 } });
  const shared = await save(person, { isShared: true });
  expect(await namesOf(person)).toHaveLength(201);
  // A shared view that its creator makes personal would exceed the creator's limit.
  const takenBack = await person.call('PATCH', `/views/${shared.id}`, { isShared: false });
  expect(takenBack.body.key).toBe('view.too_many');
});

test('a view of another workspace does not exist', async () => {
  const stranger = await makeOwner(house);
  const view = await save(owner, { isShared: true });
  for (const [method, body] of [['GET'], ['PATCH', { name: 'n' }], ['DELETE']] as const) {
    expect((await stranger.call(method, `/views/${view.id}`, body)).body.key).toBe('view.not_found');
  }
});
