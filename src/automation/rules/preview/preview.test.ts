import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { actorOf } from '../../../../test/harness/races.ts';
import { randomOf } from '../../../../test/harness/random.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { makeRule, runRulesNow } from '../../../../test/worlds/rules.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { TeamId } from '../../../ground/lib/ids.ts';
import { changeTicket } from '../../../helpdesk/tickets/change-ticket.ts';
import type { TicketChange } from '../../../helpdesk/tickets/schema.ts';
import { previewRule } from './preview.ts';

const house = useHouse();
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

const preview = async (by: Person, rule: object, last = 1_000): Promise<any> => {
  const answer = await by.call('POST', '/rules/preview', { rule, last });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const makeTicket = async (input: object = {}): Promise<any> =>
  (await owner.call('POST', '/tickets', { subject: 's', body: 'b', ...input })).body;
const change = (ticketId: string, wanted: TicketChange) =>
  house.app.db.tx((tx) =>
    changeTicket(tx, actorOf(owner), { ticketId: ticketId as never, ifMatch: undefined }, wanted),
  );

/** A ticket, or a note on one. Hours go by, and tokens with them. @returns the ticket */
async function write(text: string, ticketId?: string): Promise<string> {
  const fresh = { authorization: `Bearer ${house.app.tokens.sign(owner)}` };
  const [path, input] =
    ticketId === undefined
      ? ['/tickets', { subject: text, body: text }]
      : [`/tickets/${ticketId}/messages`, { body: text, direction: 'internal' }];
  const { status, body } = await owner.call('POST', path, input, fresh);
  expect(status).toBe(201);
  return ticketId ?? body.id;
}

test('says of a thousand facts what the rules really did', { timeout: 600_000 }, async () => {
  const random = randomOf(7);
  const next = (below: number) => Math.floor(random() * below);
  const pick = <Item>(items: readonly Item[]): Item => items[next(items.length)] as Item;
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const teamIds: TeamId[] = [];
  for (const name of ['Billing', 'Sales']) teamIds.push((await owner.call('POST', '/teams', { name })).body.id);
  const people = [owner.userId, agent.userId, null];
  const tags = ['vip', 'fleet', 'late'];
  const ofMessages = ['ticket.created', 'message.added'];
  const events = [
    'ticket.status_changed',
    'ticket.priority_changed',
    'ticket.assigned',
    'ticket.tagged',
    ...ofMessages,
  ];
  const words = ['brake', 'gear', 'invoice'];
  const ofMessage = () => ({
    message: pick<object>([
      { subject: { has: [pick(words)] } },
      { body: { matches: `${pick(words)}$` } },
      { isFirst: pick([true, false]) },
    ]),
  });
  const conditions = () => ({
    ticket: pick<object>([
      { status: [pick(['open', 'pending', 'closed'])] },
      { priority: pick(['normal', 'high']) },
      { assignee: [pick(people) ?? 'none'] },
      { team: [pick([...teamIds, 'none'])], status: ['open', 'pending'] },
      { tags: [pick(tags)] },
      { archived: pick(['true', 'false']) },
      { snoozed: pick([true, false]) },
      { spam: false, hasAttachment: false },
    ]),
    ...(next(4) === 0 && { not: true }),
  });
  const rules = [];
  for (let index = 0; index < 12; index++) {
    const event = events[index % events.length] as string;
    const trigger = { event };
    const any = [conditions(), ofMessages.includes(event) ? ofMessage() : conditions()];
    const group = { [pick(['all', 'any'])]: [conditions(), { any }] };
    const actions = { addTags: [`mark ${index}`], ...(index === 3 && { note: 'Seen.' }) };
    rules.push(await makeRule(owner, { name: `R${index}`, trigger, conditions: group, actions }));
  }
  const ids = [];
  for (let index = 0; index < 5; index++) ids.push((await makeTicket()).id);
  await runRulesNow(house, owner);
  for (let round = 0; round < 280; round++) {
    house.clock.advance(3_600_001);
    const later = new Date(house.clock.now().getTime() + 5_400_000).toISOString();
    const wanted: TicketChange = {
      ...(next(2) === 0 && { status: pick(['open', 'pending', 'closed']) }),
      ...(next(3) === 0 && { priority: pick(['normal', 'high']) }),
      ...(next(3) === 0 && { assigneeId: pick(people) }),
      ...(next(3) === 0 && { teamId: pick([...teamIds, null]) }),
      ...(next(3) === 0 && { addTags: [pick(tags)] }),
      ...(next(4) === 0 && { removeTags: [pick(tags), `mark ${next(12)}`] }),
      ...(next(5) === 0 && { archive: pick([true, false]) }),
      ...(next(5) === 0 && { snoozedUntil: pick([later, null]) }),
    };
    await change(pick(ids), wanted);
    if (next(4) === 0) ids.push(await write(`A ${pick(words)} and a ${pick(words)}`));
    if (next(4) === 0) await write(`The ${pick(words)}`, pick(ids));
    await runRulesNow(house, owner);
  }
  let compared = 0;
  for (const { id, trigger, conditions: asked, actions } of rules) {
    const runs = await house.app.db.rows<{ eventId: string; did: string[] }>(sql`
      select r.activity_id as "eventId", r.did from rule_runs r
      where r.workspace_id = ${owner.workspaceId} and r.rule_id = ${id} and r.outcome = 'done'`);
    const asking = { rule: { trigger, conditions: asked, actions }, last: 1_000 };
    const { items, counts } = await previewRule(house.app.db, actorOf(owner), asking);
    expect(counts.unknown).toBe(0);
    const told = items.filter((item: any) => item.matched);
    const shapeOf = (eventId: string, did: string[]) => `${eventId} ${did.join(' ')}`;
    expect(told.map((item: any) => shapeOf(item.eventId, item.wouldDo.did)).sort()).toEqual(
      runs.map(({ eventId, did }) => shapeOf(eventId, did)).sort(),
    );
    compared += items.length;
  }
  expect(compared).toBeGreaterThan(1_000);
});

test('names the condition that said no, and what it saw', async () => {
  const ticket = await makeTicket({ subject: 'The brake', tags: ['vip'] });
  const because = async (...all: object[]) =>
    (await preview(owner, { trigger: { event: 'ticket.created' }, conditions: { all }, actions: { archive: true } }))
      .items[0].because;
  expect(await because({ ticket: { priority: 'high', status: ['open'] } })).toEqual({
    path: 'conditions.all.0.ticket.priority',
    seen: 'normal',
  });
  expect(await because({ ticket: { tags: ['vip'] } }, { any: [{ ticket: { tags: ['vip'] }, not: true }] })).toEqual({
    path: 'conditions.all.1.any.0.ticket.tags',
    seen: ['vip'],
  });
  expect(await because({ message: { subject: { has: ['gear'] } } })).toEqual({
    path: 'conditions.all.0.message.subject',
    seen: 'The brake',
  });
  expect(await because({ ticket: { tags: ['vip'] } })).toBeNull();
  await change(ticket.id, { trash: true });
  expect(await because({ ticket: { tags: ['vip'] } })).toBeNull();
});

test('tells what it would do, and for what it would fail', async () => {
  await makeTicket();
  const rule = { trigger: { event: 'ticket.created' }, actions: { status: 'closed', addTags: ['x'], note: 'n' } };
  expect((await preview(owner, rule)).items[0].wouldDo).toMatchObject({
    did: ['ticket.tagged', 'ticket.status_changed', 'note'],
    changes: [
      { type: 'ticket.tagged', data: { added: ['x'], removed: [] } },
      { type: 'ticket.status_changed', data: { from: 'open', to: 'closed', reason: null } },
    ],
    error: null,
  });
  const missing = await owner.call('POST', '/rules/preview', { rule: { ...rule, actions: { teamId: owner.userId } } });
  expect(missing.body).toMatchObject({ key: 'rule.refers_to_missing', params: { path: 'body.actions.teamId' } });
});

test('what nothing tells is unknown, and not guessed', async () => {
  const { id, requester } = await makeTicket({ requester: { email: 'ann@example.org' } });
  const other = await makeTicket({ requester: { email: 'bob@example.org' } });
  const rule = (contact: string) => ({
    trigger: { event: 'ticket.created' },
    conditions: { all: [{ ticket: { contact, status: ['open'] } }] },
    actions: { archive: true },
  });
  expect((await preview(owner, rule(requester.contactId))).counts).toEqual({ matched: 1, notMatched: 1, unknown: 0 });
  await owner.call('POST', `/tickets/${other.id}/messages`, { body: 'x' });
  await owner.call('POST', `/tickets/${id}/messages`, { body: 'x' });
  const told = await preview(owner, rule(requester.contactId));
  expect(told.counts).toEqual({ matched: 0, notMatched: 0, unknown: 2 });
  expect(told.items[0]).toMatchObject({
    ...{ matched: null, wouldDo: null },
    because: { path: 'conditions.all.0.ticket.contact', seen: null },
  });
});

test('of a rule about time it says which tickets wait, and when the rule would be due', async () => {
  const requester = { email: 'ann@example.org' };
  const waiting = await makeTicket({ requester });
  const high = await makeTicket({ requester, priority: 'high' });
  await change((await makeTicket({ requester })).id, { status: 'closed' });
  const rule: any = {
    trigger: { after: '30m', since: 'created' },
    conditions: { all: [{ ticket: { priority: 'normal' } }] },
    actions: { priority: 'high' },
  };
  const halfAnHourMs = 1_800_000;
  const { items, counts } = await preview(owner, rule);
  expect(counts).toEqual({ matched: 1, notMatched: 1, unknown: 0 });
  expect(items).toMatchObject([
    { ticketId: high.id, eventId: null, because: { path: 'conditions.all.0.ticket.priority', seen: 'high' } },
    { ticketId: waiting.id, matched: true, wouldDo: { did: ['ticket.priority_changed'] } },
  ]);
  expect(Date.parse(items[1].at)).toBe(Date.parse(waiting.createdAt) + halfAnHourMs);
  expect((await preview(owner, rule, 1)).items).toHaveLength(1);
  house.clock.advance(2 * halfAnHourMs);
  const asked = house.clock.now().getTime();
  const late = await previewRule(house.app.db, actorOf(owner), { rule });
  expect(Date.parse(late.items[1]?.at ?? '')).toBeGreaterThanOrEqual(asked);
});

test('neither counts nor names a ticket that its reader does not see', async () => {
  const admin = await makeMember(house, owner.workspaceId, 'admin');
  const { body: team } = await owner.call('POST', '/teams', { name: 'People', visibility: 'members' });
  await makeTicket();
  await makeTicket({ subject: 'Hidden', teamId: team.id });
  const rule = { trigger: { event: 'ticket.created' }, actions: { archive: true } };
  expect((await preview(owner, rule)).counts.matched).toBe(2);
  const seen = await preview(admin, rule);
  expect(seen.counts).toEqual({ matched: 1, notMatched: 0, unknown: 0 });
  expect(JSON.stringify(seen)).not.toContain('Hidden');
});

test('runs in a transaction that cannot write, on events of the trigger alone, the newest first', async () => {
  const first = await makeTicket();
  const second = await makeTicket();
  await change(first.id, { priority: 'high' });
  const modes: string[] = [];
  const watched = {
    ...house.app.db,
    tx: <Result>(work: (tx: any) => Promise<Result>) =>
      house.app.db.tx(async (tx) => {
        const done = await work(tx);
        const [mode] = await tx.rows<{ transaction_read_only: string }>(sql`show transaction_read_only`);
        modes.push(mode?.transaction_read_only ?? '');
        return done;
      }),
  };
  const rule = { trigger: { event: 'ticket.created' as const }, actions: { archive: true } };
  const { items } = await previewRule(watched, actorOf(owner), { rule, last: 1 });
  expect(items.map(({ ticketId }) => ticketId)).toEqual([second.id]);
  expect(modes).toEqual(['on']);
});
