import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { makeRule, runRulesNow } from '../../../test/worlds/rules.ts';
import { sql } from '../../ground/database/sql.ts';
import { workOnBulkChange } from '../bulk/run-bulk-change.ts';

const house = useHouse();
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

async function make(tags: string[], more: object = {}): Promise<string> {
  const { status, body } = await owner.call('POST', '/tickets', { subject: 's', body: 'b', tags });
  expect(status).toBe(201);
  if (Object.keys(more).length > 0) await owner.call('POST', '/tickets/bulk', { ids: [body.id], ...more });
  return body.id;
}
const tagsOf = async (id: string) => (await owner.call('GET', `/tickets/${id}?trash=true`)).body.tags;
const listed = async () =>
  (await owner.call('GET', '/tags')).body.map(({ lastUsedAt: _, ...tag }: { lastUsedAt: string }) => tag);
const rename = (body: object, person = owner) => person.call('POST', '/tags/rename', body);
const remove = (tag: string, person = owner) => person.call('POST', '/tags/delete', { tag });
const useOf = async (tag: string) => (await owner.call('GET', `/tags/use?${new URLSearchParams({ tag })}`)).body;
const entries = async () =>
  (await owner.call('GET', '/audit')).body.items.map(({ type, data }: { type: string; data: object }) => [type, data]);

test('the list counts open tickets and spells a tag as most do', async () => {
  await make(['Bug', 'vip']);
  await make(['Bug'], { status: 'closed' });
  await make(['bug']);
  await make(['gone'], { trash: true });
  await make(['spammy'], { spam: true });
  await make(['later'], { snoozedUntil: new Date(Date.now() + 86_400_000).toISOString(), archive: true });
  await owner.call('PUT', '/tags/colour', { tag: 'Unused', colour: 'teal' });
  await owner.call('PUT', '/tags/colour', { tag: 'BUG', colour: 'red' });
  expect(await listed()).toEqual([
    { tag: 'Bug', openTickets: 2, tickets: 3, colour: 'red' },
    { tag: 'vip', openTickets: 1, tickets: 1, colour: null },
    { tag: 'later', openTickets: 0, tickets: 1, colour: null },
    { tag: 'Unused', openTickets: 0, tickets: 0, colour: 'teal' },
  ]);
  const [{ lastUsedAt }] = (await owner.call('GET', '/tags')).body;
  expect(Date.parse(lastUsedAt)).toBeGreaterThan(Date.now() - 3_600_000);
});

test('a rename reaches tickets in every list, mailboxes, saved replies, views and the colour', async () => {
  const { workspaceId } = owner;
  const snoozedUntil = new Date(Date.now() + 86_400_000).toISOString();
  const open = await make(['first', 'old/name', 'last']);
  const hidden = [await make(['OLD/name'], { archive: true }), await make(['old/name'], { snoozedUntil })];
  const trashed = await make(['old/name'], { trash: true });
  const mailbox = { workspaceId, provider: 'mail-b' as const, address: 'a@example.org', refreshToken: 'r' };
  await putMailbox(house, { ...mailbox, defaultTags: ['Old/Name', 'x'] });
  const actions = { addTags: ['old/name'], removeTags: ['new'], priority: 'high' };
  const reply = (await owner.call('POST', '/saved-replies', { name: 'r', body: 'b', actions })).body;
  const view = (await owner.call('POST', '/views', { name: 'v', query: { tags: ['old/name', 'x'] } })).body;
  await owner.call('PUT', '/tags/colour', { tag: 'old/name', colour: 'blue' });
  expect(await useOf('old/name')).toEqual({
    ...{ tickets: 3, openTickets: 2, mailboxes: 1, savedReplies: 1 },
    ...{ rules: 0, views: 1 },
  });

  const answer = await rename({ tag: 'old/name', to: 'New name' });
  expect(answer.status).toBe(202);
  await house.drain();
  expect(await tagsOf(open)).toEqual(['first', 'last', 'New name']);
  for (const id of hidden) expect(await tagsOf(id)).toEqual(['New name']);
  expect(await tagsOf(trashed)).toEqual(['old/name']);
  expect((await owner.call('GET', '/mailboxes')).body[0].defaultTags).toEqual(['New name', 'x']);
  expect((await owner.call('GET', `/saved-replies/${reply.id}`)).body).toMatchObject({
    actions: { addTags: ['New name'], removeTags: ['new'], priority: 'high' },
    version: reply.version + 1,
  });
  expect((await owner.call('GET', `/views/${view.id}`)).body.query).toEqual({ tags: ['New name', 'x'] });
  expect((await owner.call('GET', '')).body.tagColours).toEqual([{ tag: 'New name', colour: 'blue' }]);
  expect((await owner.call('GET', `/tickets/${open}/events`)).body.items.at(-1)).toMatchObject({
    type: 'ticket.tagged',
    actor: { userId: owner.userId },
    data: { added: ['New name'], removed: ['old/name'] },
  });
  const data = { from: 'old/name', to: 'New name', isMerged: false, count: 3 };
  expect(await entries()).toContainEqual(['tag.renamed', data]);

  const { id } = answer.body.bulkChange;
  expect((await owner.call('POST', `/bulk-changes/${id}/undo`)).status).toBe(202);
  await house.drain();
  expect(await tagsOf(open)).toEqual(['first', 'old/name', 'last']);
});

test('a rename to a tag that exists is refused, and merges once the caller agrees', async () => {
  const [one, both] = [await make(['Bug']), await make(['bug', 'x', 'Defect'])];
  await owner.call('PUT', '/tags/colour', { tag: 'bug', colour: 'red' });
  await owner.call('PUT', '/tags/colour', { tag: 'defect', colour: 'green' });
  const refused = await rename({ tag: 'bug', to: 'DEFECT' });
  expect([refused.status, refused.body.key, refused.body.params]).toEqual([409, 'tag.exists', { tag: 'Defect' }]);
  expect((await rename({ tag: 'bug', to: 'DEFECT', merge: true })).status).toBe(202);
  await house.drain();
  expect([await tagsOf(one), await tagsOf(both)]).toEqual([['Defect'], ['x', 'Defect']]);
  expect(await listed()).toMatchObject([
    { tag: 'Defect', openTickets: 2, colour: 'green' },
    { tag: 'x', openTickets: 1 },
  ]);
});

test('a rename may change the case alone', async () => {
  const id = await make(['vip']);
  expect((await rename({ tag: 'vip', to: 'vip' })).body.key).toBe('request.invalid');
  expect((await rename({ tag: 'vip', to: 'VIP' })).status).toBe(202);
  await house.drain();
  expect(await tagsOf(id)).toEqual(['VIP']);
  expect((await owner.call('GET', '/tickets?tags=vip')).body).toHaveLength(1);
});

test('a deletion takes the tag away, and views that filter by it find nothing', async () => {
  const id = await make(['spring', 'x']);
  const actions = { addTags: ['spring'] };
  const reply = (await owner.call('POST', '/saved-replies', { name: 'r', body: 'b', actions })).body;
  const view = (await owner.call('POST', '/views', { name: 'v', query: { tags: ['spring'] } })).body;
  expect((await remove('Spring')).status).toBe(202);
  await house.drain();
  expect(await tagsOf(id)).toEqual(['x']);
  expect((await owner.call('GET', `/saved-replies/${reply.id}`)).body.actions).toEqual({});
  expect((await owner.call('GET', `/views/${view.id}`)).body.query).toEqual({ tags: ['spring'] });
  expect(await entries()).toContainEqual(['tag.deleted', { tag: 'Spring', count: 1 }]);
  expect((await remove('nowhere')).body.key).toBe('tag.not_found');
});

test('a rename and a deletion reach rules, each as a version by who did it', async () => {
  const admin = await makeMember(house, owner.workspaceId, 'admin');
  const asks = (...tags: string[]) => ({ ticket: { tags, status: ['open'] }, not: true });
  const rule = await makeRule(owner, {
    trigger: { event: 'ticket.created' },
    conditions: { all: [asks('BUG', 'x'), { any: [asks('x'), asks('bug')] }] },
    actions: { addTags: ['bug'], removeTags: ['Defect'], priority: 'high' },
  });
  const only = await makeRule(owner, { trigger: { event: 'ticket.created' }, actions: { addTags: ['bug'] } });
  const other = await makeRule(owner, { trigger: { event: 'ticket.created' }, actions: { addTags: ['debug'] } });
  const read = async ({ id }: { id: string }) => (await owner.call('GET', `/rules/${id}`)).body;
  expect(await useOf('bug')).toMatchObject({ tickets: 0, rules: 2 });
  expect((await rename({ tag: 'bug', to: 'Fault' }, admin)).status).toBe(202);
  expect(await read(rule)).toMatchObject({
    conditions: { all: [asks('Fault', 'x'), { any: [asks('x'), asks('Fault')] }] },
    actions: { addTags: ['Fault'], removeTags: ['Defect'], priority: 'high' },
    ...{ version: 2, changedBy: admin.userId, isActive: true },
  });
  expect(await read(other)).toEqual(other);
  const data = { name: rule.name, changed: ['conditions', 'actions'] };
  expect(await entries()).toContainEqual(['rule.changed', data]);
  const { body: ticket } = await owner.call('POST', '/tickets', { subject: 's', body: 'b' });
  await runRulesNow(house, owner);
  const runs = (await owner.call('GET', `/tickets/${ticket.id}/rule-runs`)).body.items;
  expect(runs.find(({ ruleId }: { ruleId: string }) => ruleId === rule.id)).toMatchObject({ ruleVersion: 2 });
  expect(await tagsOf(ticket.id)).toEqual(['Fault', 'debug']);

  expect((await remove('fault', admin)).status).toBe(202);
  expect(await read(rule)).toMatchObject({
    conditions: { all: [asks('Fault', 'x'), { any: [asks('x'), asks('Fault')] }] },
    actions: { removeTags: ['Defect'], priority: 'high' },
    version: 3,
  });
  // A rule has an action, if one that does nothing any more.
  expect((await read(only)).actions).toEqual({ addTags: [] });
});

test('a tag that no ticket has is renamed and deleted without a bulk change', async () => {
  await owner.call('PUT', '/tags/colour', { tag: 'idea', colour: 'pink' });
  expect((await rename({ tag: 'idea', to: 'plan' })).body).toEqual({ bulkChange: null });
  expect(await listed()).toMatchObject([{ tag: 'plan', colour: 'pink' }]);
  expect((await remove('plan')).body).toEqual({ bulkChange: null });
  expect(await listed()).toEqual([]);
});

test('every member reads tags; owners and admins alone change them', async () => {
  await make(['vip']);
  for (const role of ['viewer', 'agent', 'admin'] as const) {
    const member = await makeMember(house, owner.workspaceId, role);
    expect((await member.call('GET', '/tags')).body).toHaveLength(1);
    const statuses = [
      await member.call('PUT', '/tags/colour', { tag: 'vip', colour: 'red' }),
      await rename({ tag: 'vip', to: 'vip 2' }, member),
      await remove('vip', member),
    ].map(({ status }) => status);
    expect(statuses).toEqual(role === 'admin' ? [204, 202, 202] : [403, 403, 403]);
  }
});

test('processes that stop in the middle lose no ticket, and change none twice', async () => {
  await make(['fleet']);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel, tags,
        tag_keys, message_count, last_message_at, created_at, updated_at, version, summary_version, search)
      select ${owner.workspaceId}, gen_random_uuid(), 1 + n, 'Planted', 'open', 'normal', 2, 'api', '{fleet}',
        '{fleet}', 0, now(), now(), now(), 1, 1, ''
      from generate_series(1, 199) n`),
  );
  const { id } = (await rename({ tag: 'fleet', to: 'Cars' })).body.bulkChange;
  const key = { workspaceId: owner.workspaceId, id };
  // The process ends once it has tried to commit for the third time.
  let commits = 0;
  const { db } = house.app;
  const dying = new Proxy(db, {
    get: (target, name, receiver) =>
      name !== 'tx'
        ? Reflect.get(target, name, receiver)
        : (work: Parameters<typeof db.tx>[0]) => {
            commits += 1;
            if (commits > 3) throw new Error('the process was killed');
            return db.tx(work);
          },
  });
  await expect(workOnBulkChange(dying, key)).rejects.toThrow('the process was killed');
  const [{ openTickets }] = (await owner.call('GET', '/tags')).body;
  expect(openTickets).toBeLessThan(200);
  await house.drain();
  expect(await listed()).toEqual([{ tag: 'Cars', openTickets: 200, tickets: 200, colour: null }]);
  const { events } = await db.one<{ events: number }>(sql`
    select count(*) as events from activity
    where workspace_id = ${owner.workspaceId} and type = 'ticket.tagged'`);
  expect(events).toBe(200);
});

test('a rename leaves a ticket alone that lost the tag meanwhile', async () => {
  const [kept, lost] = [await make(['a']), await make(['A', 'other'])];
  expect((await rename({ tag: 'a', to: 'b' })).status).toBe(202);
  await owner.call('PATCH', `/tickets/${lost}`, { tags: ['other'] });
  await house.drain();
  expect([await tagsOf(kept), await tagsOf(lost)]).toEqual([['b'], ['other']]);
  const [{ changed, unchanged }] = (await owner.call('GET', '/bulk-changes')).body;
  expect({ changed, unchanged }).toEqual({ changed: 1, unchanged: 1 });
});
