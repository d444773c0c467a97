import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingestMails, mailOf, sourceOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { makeRule, runRulesNow, runsOf } from '../../../test/worlds/rules.ts';
import { sql } from '../../ground/database/sql.ts';
import { workOnTimers } from './run-timers.ts';

const ourAddress = 'support@example.com';
const house = useHouse(
  // No mail leaves here: what is queued is what a test looks at.
  { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: ourAddress },
  { resolveName: async () => ['93.184.215.14'] },
);
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

const created = { event: 'ticket.created' };
const run = () => runRulesNow(house, owner);
const read = async (id: string) => (await owner.call('GET', `/tickets/${id}`)).body;
const makeTicket = async () => (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body;

/** A mail whose envelope names the organisation of its sender. @returns its ticket */
async function mailIn(headers: Record<string, string> = {}): Promise<string> {
  const source = { ...sourceOf(house, owner), envelope: { from: 'ann@example.org', to: [ourAddress] } };
  await ingestMails(house.app, source, [mailOf({ headers })]);
  const id = (await ticketsOf(owner)).at(-1)?.id;
  expect(id).toBeDefined();
  return id;
}

async function makeReply(body = 'We have it.'): Promise<string> {
  const made = await owner.call('POST', '/saved-replies', { name: `r${Math.random()}`, body, isShared: true });
  expect(made.status).toBe(201);
  return made.body.id;
}

describe('a rule that mails', () => {
  const all = [{ ticket: { spam: false } }];
  const mailing = async (rule: object = {}) =>
    makeRule(owner, {
      ...{ name: 'Mail', trigger: created, conditions: { all } },
      ...{ actions: { reply: { savedReplyId: await makeReply(), to: 'requester' } }, ...rule },
    });

  test('queues the saved reply to the requester, as mail that no machine answers', async () => {
    await mailing();
    const id = await mailIn();
    await run();
    expect(await runsOf(owner, id)).toEqual([['Mail', 'done', ['reply']]]);
    const { messages, status, waitingSince } = await read(id);
    expect(messages.at(-1)).toMatchObject({
      ...{ direction: 'outbound', body: 'We have it.', automaticKind: 'auto-reply' },
      ...{ delivery: { status: 'queued' }, to: ['ann@example.org'] },
    });
    // The customer still waits for a person.
    expect([status, waitingSince]).toEqual(['open', expect.any(String)]);
    await run();
    expect((await read(id)).messages).toHaveLength(2);
  });

  test('says why it does not, and does the rest', async () => {
    await mailing({ trigger: { event: 'message.added', by: ['customer', 'machine', 'agent'] } });
    await makeRule(owner, { name: 'Tag', trigger: created, actions: { addTags: ['seen'] } });
    const asked = await mailIn({ 'X-Auto-Response-Suppress': 'All' });
    const byHand = (await makeTicket()).id;
    await run();
    expect(await runsOf(owner, asked)).toEqual([
      ['Mail', 'done', ['no mail: asked_not_to']],
      ['Tag', 'done', ['ticket.tagged']],
    ]);
    expect((await runsOf(owner, byHand))[0]).toEqual(['Mail', 'done', ['no mail: not_mail']]);
    expect((await read(asked)).messages).toHaveLength(1);
  });

  test('mails a ticket three times a day', async () => {
    await mailing({ trigger: { event: 'ticket.priority_changed' } });
    const id = await mailIn();
    for (const priority of ['high', 'low', 'high', 'low']) await owner.call('PATCH', `/tickets/${id}`, { priority });
    await run();
    const outcomes = (await runsOf(owner, id)).map((one) => (one as string[])[1]);
    expect(outcomes).toEqual(['done', 'done', 'done', 'skipped_limit']);
    expect((await read(id)).messages).toHaveLength(4);
    // A day later by the clock of the runs.
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update rule_runs set created_at = created_at - interval '25 hours' where workspace_id = ${owner.workspaceId}`),
    );
    await owner.call('PATCH', `/tickets/${id}`, { priority: 'high' });
    await run();
    expect(((await runsOf(owner, id)).at(-1) as string[])[1]).toBe('done');
  });

  test('and that nothing narrows is confirmed first, at each way to switch it on', async () => {
    const reply = { savedReplyId: await makeReply(), to: 'requester' };
    const wide = { name: 'Wide', trigger: created, actions: { reply } };
    const statuses = { all: [{ ticket: { status: ['open'], archived: 'any' } }] };
    const keyOf = async (...[method, path, body]: Parameters<Person['call']>) => {
      const answer = await owner.call(method, path, body);
      return answer.status < 300 ? answer.status : `${answer.status} ${answer.body.key}`;
    };
    const unconfirmed = '409 rule.unconfirmed';
    expect(await keyOf('POST', '/rules', { ...wide, isActive: true })).toBe(unconfirmed);
    expect(await keyOf('POST', '/rules', { ...wide, conditions: statuses, isActive: true })).toBe(unconfirmed);
    const { body: rule } = await owner.call('POST', '/rules', wide);
    const at = (rest = '') => `/rules/${rule.id}${rest}`;
    expect(await keyOf('POST', at('/activate'), {})).toBe(unconfirmed);
    expect(await keyOf('POST', at('/activate'), { confirm: true })).toBe(200);
    expect(await keyOf('PATCH', at(), { conditions: { all } })).toBe(200);
    expect(await keyOf('PATCH', at(), { conditions: statuses })).toBe(unconfirmed);
    expect(await keyOf('PATCH', at(), { conditions: statuses, confirm: true })).toBe(200);
  });
});

test('a rule sends a webhook of its choice what it matched, and fails alone where the webhook is off', async () => {
  const { body: webhook } = await owner.call('POST', '/webhooks', {
    url: 'https://hooks.example.org/',
    events: ['message.added'],
  });
  const rule = await makeRule(owner, { name: 'Hook', trigger: created, actions: { webhookId: webhook.id } });
  await makeRule(owner, { name: 'Tag', trigger: created, actions: { addTags: ['a'] } });
  const ticket = await makeTicket();
  await run();
  expect((await runsOf(owner, ticket.id))[0]).toEqual(['Hook', 'done', ['webhook']]);
  const sent = () =>
    house.app.db.rows<{ payload: object }>(sql`
      select payload from webhook_deliveries where workspace_id = ${owner.workspaceId} and type = 'rule.matched'`);
  expect(await sent()).toMatchObject([
    {
      payload: {
        type: 'rule.matched',
        data: {
          workspaceId: owner.workspaceId,
          ruleId: rule.id,
          ruleName: 'Hook',
          eventId: expect.any(String),
          ticket: { id: ticket.id, ticketNumber: 1, status: 'open' },
        },
      },
    },
  ]);
  await house.app.db.tx((tx) =>
    tx.run(sql`update webhooks set status = 'disabled' where workspace_id = ${owner.workspaceId}`),
  );
  const other = await makeTicket();
  await run();
  expect(await runsOf(owner, other.id)).toEqual([
    ['Hook', 'failed', { key: 'webhook.disabled', params: {} }],
    ['Tag', 'done', ['ticket.tagged']],
  ]);
  expect(await sent()).toHaveLength(1);
});

test('a rule moves to spam after all else that it does, and takes out of it', async () => {
  await makeRule(owner, { name: 'In', trigger: created, actions: { spam: true, addTags: ['junk'], note: 'n' } });
  await makeRule(owner, { name: 'After', trigger: created, actions: { addTags: ['not'] } });
  await makeRule(owner, {
    ...{ name: 'Out', trigger: { event: 'ticket.spam_changed' }, onRules: true },
    ...{
      conditions: { all: [{ ticket: { spam: true, tags: ['rescue'] } }] },
      actions: { spam: false, priority: 'high' },
    },
  });
  const ticket = await makeTicket();
  await run();
  expect(await read(ticket.id)).toMatchObject({ tags: ['junk'], spamAt: expect.any(String), messageCount: 2 });
  expect(await runsOf(owner, ticket.id)).toEqual([['In', 'done', ['ticket.tagged', 'note', 'ticket.spam_changed']]]);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update tickets set tags = '{rescue}', tag_keys = '{rescue}'
      where workspace_id = ${owner.workspaceId} and id = ${ticket.id}`),
  );
  await owner.call('POST', '/tickets/bulk', { ids: [ticket.id], spam: false });
  await owner.call('POST', '/tickets/bulk', { ids: [ticket.id], spam: true });
  await run();
  expect(await read(ticket.id)).toMatchObject({ spamAt: null, priority: 'high' });
});

test('a rule snoozes from the time of its run', async () => {
  await makeRule(owner, { name: 'Later', trigger: created, actions: { snoozeHours: 24 } });
  const ticket = await makeTicket();
  await run();
  const { snoozedUntil } = await read(ticket.id);
  const hours = (Date.parse(snoozedUntil) - Date.parse(ticket.createdAt)) / 3_600_000;
  expect(hours).toBeGreaterThanOrEqual(24);
  expect(hours).toBeLessThan(25);
  expect(await runsOf(owner, ticket.id)).toEqual([['Later', 'done', ['ticket.snoozed']]]);
});

test('a rule tells only those of the members it names who see the ticket', async () => {
  const [inside, outside] = [
    await makeMember(house, owner.workspaceId, 'agent'),
    await makeMember(house, owner.workspaceId, 'agent'),
  ];
  const team = { name: 'People', visibility: 'members', memberIds: [inside.userId] };
  const {
    body: { id: teamId },
  } = await owner.call('POST', '/teams', team);
  const notify = { userIds: [inside.userId, outside.userId] };
  const { id: ruleId } = await makeRule(owner, { name: 'Tell', trigger: created, actions: { notify } });
  const ticket = (await inside.call('POST', '/tickets', { subject: 'secret', body: 'b', teamId })).body;
  await run();
  const titles = async (person: Person) =>
    (await person.call('GET', '/notifications')).body.items.filter(({ type }: { type: string }) => type === 'rule')
      .length;
  expect([await titles(inside), await titles(outside)]).toEqual([1, 0]);
  const runs = async (person: Person) => (await person.call('GET', `/rules/${ruleId}/runs`)).body.items.length;
  expect([await runs(inside), await runs(outside)]).toEqual([1, 0]);
  expect((await outside.call('GET', `/tickets/${ticket.id}/rule-runs`)).status).toBe(404);
});

test('the last answer is what a person sent, not what was cancelled before it left', async () => {
  await makeRule(owner, {
    ...{ name: 'Silence', trigger: { after: '48h', since: 'lastAnswer' }, actions: { addTags: ['silent'] } },
  });
  const [answered, cancelled] = [
    await mailIn(),
    await mailIn({ Subject: 'Another thing', 'Message-ID': '<o@x.test>', From: 'Bo <bo@example.org>' }),
  ];
  for (const id of [answered, cancelled]) {
    const answer = { body: 'Hello', sendEmail: true, sendAfterSeconds: 60 };
    const sent = await owner.call('POST', `/tickets/${id}/messages`, answer);
    expect(sent.status).toBe(201);
    if (id === cancelled)
      expect((await owner.call('POST', `/tickets/${id}/messages/${sent.body.id}/cancel`)).status).toBeLessThan(300);
  }
  await run();
  await workOnTimers(house.app.db, owner.workspaceId);
  const timers = await house.app.db.rows<{ ticketId: string }>(sql`
    select ticket_id as "ticketId" from rule_timers where workspace_id = ${owner.workspaceId}`);
  expect(timers.map(({ ticketId }) => ticketId)).toEqual([answered]);
});
