import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { makeRule, runRulesNow, runsOf } from '../../../test/worlds/rules.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse({ SMTP_URL: 'smtp://127.0.0.1:9' });
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

const run = () => runRulesNow(house, owner);
const requester = { email: 'dana@customer.test' };
const makeTicket = async () => (await owner.call('POST', '/tickets', { subject: 's', body: 'b', requester })).body;

test('a scheduled answer is added when it leaves, once, and not when it is written', async () => {
  const answered = { event: 'message.added', direction: 'outbound' };
  await makeRule(owner, { name: 'Answered', trigger: answered, actions: { addTags: ['answered'] } });
  const ticket = await makeTicket();
  const sendAt = new Date(house.clock.now().getTime() + 86_400_000).toISOString();
  const at = `/tickets/${ticket.id}/messages`;
  const { body: message } = await owner.call('POST', at, { body: 'Hello', sendEmail: true, sendAt });
  expect(message.delivery.status).toBe('scheduled');
  await run();
  expect(await runsOf(owner, ticket.id)).toEqual([]);
  expect((await owner.call('POST', `${at}/${message.id}/retry`)).status).toBe(200);
  await run();
  expect(await runsOf(owner, ticket.id)).toEqual([['Answered', 'done', ['ticket.tagged']]]);
  // It fails, and somebody sends it again.
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update messages set delivery_status = 'failed' where workspace_id = ${owner.workspaceId} and id = ${message.id}`),
  );
  expect((await owner.call('POST', `${at}/${message.id}/retry`)).status).toBe(200);
  await run();
  expect(await runsOf(owner, ticket.id)).toHaveLength(1);
  const { body: preview } = await owner.call('POST', '/rules/preview', {
    rule: { name: 'Answered', trigger: answered, actions: { addTags: ['answered'] } },
    last: 100,
  });
  expect(preview.counts.matched).toBe(1);
});

test('as many rules as there may be, with as many conditions, run on a ticket', { timeout: 120_000 }, async () => {
  const id = owner.userId;
  const full = {
    ...{ status: ['open', 'pending'], assignee: ['none', id], team: ['none'], tags: ['a', 'b'], priority: 'urgent' },
    ...{ createdFrom: '2020-01-01T00:00:00Z', createdTo: '2020-02-01T00:00:00Z', archived: 'any', snoozed: false },
  };
  const words = Array.from({ length: 50 }, (_, index) => `word ${index}`);
  const any = [
    ...Array.from({ length: 25 }, () => ({ ticket: full })),
    ...Array.from({ length: 25 }, () => ({ message: { body: { has: words } } })),
  ];
  const trigger = { event: 'message.added' };
  const first = await makeRule(owner, { name: '0', trigger, conditions: { any }, actions: { addTags: ['a'] } });
  // As the route would store them, in a moment.
  await house.app.db.pool.query(
    `insert into rules (workspace_id, id, name, name_key, position, active_since, trigger, conditions, actions,
       on_rules, stop_after, version, changed_by_id, created_at, updated_at)
     select workspace_id, gen_random_uuid(), n::text, n::text, n, active_since, trigger, conditions, actions,
       on_rules, stop_after, version, changed_by_id, created_at, updated_at
     from rules, generate_series(1, 199) n where id = $1`,
    [first.id],
  );
  await makeRuleLast();
  await owner.call('POST', '/tickets', { subject: 's', body: 'b '.repeat(9_000), requester });
  await run();
  const [ticket] = (await owner.call('GET', '/tickets')).body;
  expect(await runsOf(owner, ticket.id)).toEqual([['Last', 'done', ['ticket.tagged']]]);

  async function makeRuleLast(): Promise<void> {
    await house.app.db.pool.query(`delete from rules where workspace_id = $1 and position = 199`, [owner.workspaceId]);
    await makeRule(owner, { name: 'Last', trigger, actions: { addTags: ['last'] } });
  }
});

test('an expression that repeats so often that it takes long is refused', async () => {
  const said = async (matches: string) => {
    const conditions = { all: [{ message: { body: { matches } } }] };
    const rule = { name: 'n', trigger: { event: 'message.added' }, conditions, actions: { addTags: ['a'] } };
    return (await owner.call('POST', '/rules', rule)).body.params?.issues?.[0];
  };
  const refused = { key: 'bad_pattern', path: 'body.conditions.all.0.message.body.matches' };
  expect(await said('.{999}'.repeat(33))).toMatchObject(refused);
  expect(await said('((a{100}){100}){100}')).toMatchObject(refused);
  expect(await said('Order [0-9]{3,10}')).toBeUndefined();
});
