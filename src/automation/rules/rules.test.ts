import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import { makeRule, runRulesNow, runsOf } from '../../../test/worlds/rules.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

const run = () => runRulesNow(house, owner);
async function makeTicket(input: object = {}): Promise<any> {
  return (await owner.call('POST', '/tickets', { subject: 's', body: 'b', ...input })).body;
}
const read = async (id: string) => (await owner.call('GET', `/tickets/${id}?trash=true`)).body;
const created = { event: 'ticket.created' };
const addTag = (tag: string) => ({ addTags: [tag] });
const audits = async () => (await owner.call('GET', '/audit')).body.items.map(({ type }: { type: string }) => type);

describe('a rule is kept', () => {
  test('with its order, its versions and who changed it', async () => {
    const first = await makeRule(owner, { name: 'First', trigger: created, actions: addTag('a'), isActive: false });
    expect(first).toMatchObject({
      ...{ name: 'First', position: 0, isActive: false, pausedReason: null, onRules: false, stopAfter: false },
      ...{ trigger: created, conditions: null, actions: addTag('a'), version: 1, changedBy: owner.userId },
      ...{ runCount: 0, lastRunAt: null, lastOutcome: null },
    });
    const second = await makeRule(owner, { name: 'Second', trigger: created, actions: addTag('b') });
    const ids = [second.id, first.id];
    expect((await owner.call('PUT', '/rules/order', { ids })).body.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect((await owner.call('PUT', '/rules/order', { ids: [first.id] })).body.key).toBe('rule.order_changed');
    const changed = await owner.call('PATCH', `/rules/${first.id}`, { name: 'Other', stopAfter: true });
    expect(changed.body).toMatchObject({ name: 'Other', stopAfter: true, version: 2 });
    expect((await owner.call('PATCH', `/rules/${first.id}`, { name: 'Other' })).body.version).toBe(2);
    const stale = await owner.call('PATCH', `/rules/${first.id}`, { name: 'New' }, { 'if-match': '"1"' });
    expect(stale).toMatchObject({ status: 412, body: { key: 'rule.version_mismatch', params: { currentVersion: 2 } } });
    expect((await owner.call('PATCH', `/rules/${first.id}`, { name: 'SECOND' })).body.key).toBe('rule.name_taken');
    expect((await owner.call('POST', `/rules/${first.id}/activate`, {})).body.isActive).toBe(true);
    expect((await owner.call('POST', `/rules/${first.id}/pause`, {})).body.isActive).toBe(false);
    expect((await owner.call('DELETE', `/rules/${first.id}`)).status).toBe(204);
    expect((await owner.call('GET', `/rules/${first.id}`)).body.key).toBe('rule.not_found');
    expect(await audits()).toEqual([
      ...['rule.deleted', 'rule.paused', 'rule.activated', 'rule.changed', 'rule.created', 'rule.created'],
    ]);
  });

  test('by owners and admins, not by agents and keys; everybody reads it', async () => {
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const rule = await makeRule(owner, { trigger: created, actions: addTag('a') });
    const body = { name: 'n', trigger: created, actions: addTag('a') };
    expect((await agent.call('POST', '/rules', body)).body.key).toBe('auth.role_insufficient');
    expect((await agent.call('GET', '/rules')).body).toEqual([rule]);
  });

  test('only if what it says is possible, and each fault has its place', async () => {
    const fault = async (rule: object) => {
      const { body } = await owner.call('POST', '/rules', {
        name: 'n',
        trigger: created,
        actions: addTag('a'),
        ...rule,
      });
      if (body.key !== 'request.invalid') return [body.key, body.params.path];
      return body.params.issues.map(({ path, key }: { path: string; key: string }) => `${path} ${key}`);
    };
    const id = newId();
    expect(await fault({ trigger: {} })).toEqual(['body.trigger needs_one_of']);
    expect(await fault({ trigger: { after: '4h' } })).toEqual(['body.trigger.since required']);
    expect(await fault({ trigger: { event: 'ticket.tagged', direction: 'inbound' } })).toEqual([
      'body.trigger.direction not_of_event',
    ]);
    expect(await fault({ trigger: { event: 'mailbox.reminded' } })).toEqual(['body.trigger.event not_a_choice']);
    const all = (...terms: object[]) => ({ conditions: { all: terms } });
    expect(await fault(all({}))).toEqual(['body.conditions.all.0 needs_one_of']);
    expect(await fault(all({ ticket: { plna: 'x' } }))).toEqual(['body.conditions.all.0.ticket.plna not_a_field']);
    expect(await fault(all({ ticket: { assignee: ['me'] } }))).toEqual([
      'body.conditions.all.0.ticket.assignee.0 wrong_form',
    ]);
    const pattern = { message: { subject: { matches: '(?=a)(' } } };
    expect(await fault(all({ any: [{ ticket: { status: ['open'] } }, pattern] }))).toEqual([
      'body.conditions.all.0.any.1.message.subject.matches bad_pattern',
    ]);
    const many = { any: Array.from({ length: 26 }, () => ({ ticket: { status: ['open'] } })) };
    expect(await fault(all(many, many))).toEqual(['body.conditions too_many_conditions']);
    expect(await fault({ ...all({ message: { isFirst: true } }), trigger: { event: 'ticket.tagged' } })).toEqual([
      'body.conditions.all.0.message not_of_event',
    ]);
    expect(await fault({ actions: {} })).toEqual([expect.stringContaining('body.actions')]);
    expect(await fault({ actions: { reason: 'r' } })).toEqual(['body.actions.reason needs_status']);
    const missing = (path: string) => ['rule.refers_to_missing', `body.${path}`];
    const open = { ticket: { status: ['open'] } };
    expect(await fault(all(open, { any: [{ ticket: { assignee: ['none', id] } }] }))).toEqual(
      missing('conditions.all.1.any.0.ticket.assignee.1'),
    );
    expect(await fault({ actions: { teamId: id } })).toEqual(missing('actions.teamId'));
    expect(await fault({ actions: { notify: { userIds: [owner.userId, id] } } })).toEqual(
      missing('actions.notify.userIds.1'),
    );
    expect(await fault({ actions: { webhookId: id } })).toEqual(missing('actions.webhookId'));
    expect(await fault(all({ hours: { calendarId: id, isOpen: true } }))).toEqual(
      missing('conditions.all.0.hours.calendarId'),
    );
  });
});

describe('a rule runs', () => {
  test('on what happens from its activation on, in the order of rules, and tells what it did', async () => {
    const before = await makeTicket();
    const condition = (tags: string[]) => ({ conditions: { all: [{ ticket: { tags } }] } });
    await makeRule(owner, { name: 'A', trigger: created, actions: { ...addTag('a'), priority: 'high' } });
    await makeRule(owner, { name: 'B', trigger: created, ...condition(['a']), actions: addTag('b') });
    await makeRule(owner, { name: 'C', trigger: created, ...condition(['c']), actions: addTag('d') });
    await makeRule(owner, { name: 'Off', trigger: created, actions: addTag('off'), isActive: false });
    const ticket = await makeTicket();
    await run();
    expect(await read(ticket.id)).toMatchObject({ tags: ['a', 'b'], priority: 'high' });
    expect((await read(before.id)).tags).toEqual([]);
    expect(await runsOf(owner, ticket.id)).toEqual([
      ['A', 'done', ['ticket.priority_changed', 'ticket.tagged']],
      ['B', 'done', ['ticket.tagged']],
    ]);
    const [a] = (await owner.call('GET', '/rules')).body;
    expect(a).toMatchObject({ runCount: 1, lastOutcome: 'done', lastRunAt: expect.any(String) });
    const { items } = (await owner.call('GET', `/tickets/${ticket.id}/events`)).body;
    expect(items.find(({ type }: { type: string }) => type === 'ticket.tagged')).toMatchObject({
      actor: { type: 'system', userId: null },
      cause: { kind: 'rule', id: expect.any(String) },
    });
    await run();
    expect(await runsOf(owner, ticket.id)).toHaveLength(2);
  });

  test('and stops those after it if it says so', async () => {
    await makeRule(owner, { name: 'A', trigger: created, actions: addTag('a'), stopAfter: true });
    await makeRule(owner, { name: 'B', trigger: created, actions: addTag('b') });
    const ticket = await makeTicket();
    await run();
    expect((await read(ticket.id)).tags).toEqual(['a']);
  });

  test('on a mail by its words, its sender, its headers and its files', async () => {
    const on = async (name: string, message: object) =>
      makeRule(owner, {
        name,
        trigger: { event: 'message.added' },
        conditions: { all: [{ message }] },
        actions: addTag(name),
      });
    await on('subject', { subject: { has: ['RECHNÚNG'] } });
    await on('not subject', { subject: { is: ['rechnung'] } });
    await on('body', { body: { matches: 'Order [0-9]{3}' } });
    await on('from', { from: { is: ['Dana@Customer.test'] } });
    await on('domain', { fromDomain: ['customer.test'] });
    await on('other domain', { fromDomain: ['omer.test'] });
    await on('header', { header: { name: 'X-Shop', has: ['north'] } });
    await on('any header', { header: { name: 'x-shop' } });
    await on('no header', { header: { name: 'x-other' } });
    await on('first', { isFirst: true });
    const headers = { Subject: 'Ihre Rechnung 7', From: 'Dana <dana@customer.test>', 'X-Shop': 'North 4' };
    await ingest(house, owner, [mailOf({ headers, body: 'My Order 123 is late.' })]);
    await run();
    const [{ id }] = (await owner.call('GET', '/tickets')).body;
    expect((await read(id)).tags.sort()).toEqual([
      ...['any header', 'body', 'domain', 'first', 'from', 'header', 'subject'],
    ]);
  });

  test('only on people’s messages unless it asks for machines', async () => {
    const trigger = { event: 'message.added' };
    await makeRule(owner, { name: 'people', trigger, actions: addTag('people') });
    await makeRule(owner, { name: 'machine', trigger: { ...trigger, by: ['machine'] }, actions: addTag('machine') });
    await makeRule(owner, { name: 'customer', trigger: { ...trigger, by: ['customer'] }, actions: addTag('customer') });
    const headers = { Subject: 'Newsletter', 'Auto-Submitted': 'auto-generated' };
    await ingest(house, owner, [mailOf({ headers })]);
    const agents = await makeTicket();
    await run();
    const [machine] = (await owner.call('GET', '/tickets?search=Newsletter')).body;
    expect((await read(machine.id)).tags).toEqual(['machine']);
    expect((await read(agents.id)).tags).toEqual(['people']);
  });

  test('with a note, people who are told, and a webhook of its choice', async () => {
    const colleague = await makeMember(house, owner.workspaceId, 'agent');
    const actions = { note: 'Ask for the invoice.', notify: { userIds: [colleague.userId] } };
    await makeRule(owner, { name: 'A', trigger: created, actions });
    const ticket = await makeTicket();
    await run();
    const { messages } = await read(ticket.id);
    expect(messages.at(-1)).toMatchObject({ direction: 'internal', body: 'Ask for the invoice.' });
    const { items } = (await colleague.call('GET', '/notifications')).body;
    expect(items[0]).toMatchObject({ type: 'rule', referenceId: ticket.id, title: 'A rule points you to #1 s' });
    expect(await runsOf(owner, ticket.id)).toEqual([['A', 'done', ['note', 'ticket.notified']]]);
  });

  test('and a failing action undoes its rule alone', async () => {
    const colleague = await makeMember(house, owner.workspaceId, 'agent');
    await makeRule(owner, { name: 'A', trigger: created, actions: { note: 'n', assignee: colleague.userId } });
    await makeRule(owner, { name: 'B', trigger: created, actions: addTag('b') });
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update members set removed_at = now()
        where workspace_id = ${owner.workspaceId} and user_id = ${colleague.userId}`),
    );
    const ticket = await makeTicket();
    await run();
    expect(await runsOf(owner, ticket.id)).toEqual([
      ['A', 'failed', { key: 'rule.refers_to_missing', params: { path: 'actions.assignee' } }],
      ['B', 'done', ['ticket.tagged']],
    ]);
    expect((await read(ticket.id)).messages).toHaveLength(1);
  });

  test('never on spam, the trash and samples', async () => {
    await makeRule(owner, { name: 'A', trigger: { event: 'ticket.priority_changed' }, actions: addTag('a') });
    const [spam, gone] = [await makeTicket(), await makeTicket()];
    for (const [{ id }, move] of [
      [spam, { spam: true }],
      [gone, { trash: true }],
    ] as const)
      await owner.call('POST', '/tickets/bulk', { ids: [id], priority: 'high', ...move });
    await run();
    expect([(await read(spam.id)).tags, (await read(gone.id)).tags]).toEqual([[], []]);
  });
});

describe('rules that lead to one another', () => {
  const tagged = { event: 'ticket.tagged' };
  const turn = (tag: string, other: string) => ({
    conditions: { all: [{ ticket: { tags: [other] } }] },
    actions: { addTags: [tag], removeTags: [other] },
  });

  test('do not, unless they ask for it', async () => {
    await makeRule(owner, { name: 'A', trigger: tagged, actions: { priority: 'high' } });
    await makeRule(owner, { name: 'B', trigger: created, actions: addTag('b') });
    const ticket = await makeTicket();
    await run();
    expect(await runsOf(owner, ticket.id)).toEqual([['B', 'done', ['ticket.tagged']]]);
  });

  test('end after three', async () => {
    await makeRule(owner, { name: 'A', trigger: tagged, ...turn('a', 'b'), onRules: true });
    await makeRule(owner, { name: 'B', trigger: tagged, ...turn('b', 'a'), onRules: true });
    const ticket = await makeTicket();
    await owner.call('PATCH', `/tickets/${ticket.id}`, { tags: ['a'] });
    await run();
    expect(await runsOf(owner, ticket.id)).toEqual([
      ['B', 'done', ['ticket.tagged']],
      ['A', 'done', ['ticket.tagged']],
      ['B', 'done', ['ticket.tagged']],
      ['A', 'skipped_loop', []],
    ]);
  });

  test('meet the limit of a ticket, and many tickets at it pause a rule', async () => {
    await makeRule(owner, { name: 'A', trigger: { event: 'ticket.priority_changed' }, actions: { note: 'n' } });
    const tickets = [];
    for (let index = 0; index < 10; index++) tickets.push(await makeTicket());
    for (const { id } of tickets)
      for (let time = 0; time < 21; time++)
        await owner.call('PATCH', `/tickets/${id}`, { priority: time % 2 === 0 ? 'high' : 'low' });
    await run();
    const runs = await runsOf(owner, tickets[0].id);
    expect(runs.filter((one) => (one as string[])[1] === 'done')).toHaveLength(20);
    expect(runs.at(-1)).toEqual(['A', 'skipped_limit', []]);
    const [rule] = (await owner.call('GET', '/rules')).body;
    expect(rule).toMatchObject({ isActive: false, pausedReason: 'limit', lastOutcome: 'skipped_limit' });
    expect(await audits()).toContain('rule.paused');
    const { items } = (await owner.call('GET', '/notifications')).body;
    expect(items[0]).toMatchObject({ type: 'rule_paused', referenceId: rule.id, title: 'The rule “A” was paused' });
  });
});

test('a workspace without active rules has no reader', async () => {
  const readers = () => house.app.db.rows(sql`select id from rule_readers where workspace_id = ${owner.workspaceId}`);
  const rule = await makeRule(owner, { trigger: created, actions: addTag('a'), isActive: false });
  expect(await readers()).toEqual([]);
  await owner.call('POST', `/rules/${rule.id}/activate`, {});
  expect(await readers()).toHaveLength(1);
  await owner.call('DELETE', `/rules/${rule.id}`);
  expect(await readers()).toEqual([]);
});
