import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { makeRule, runRulesNow, runsOf } from '../../../test/worlds/rules.ts';
import { sql } from '../../ground/database/sql.ts';
import { workOnTimers } from './run-timers.ts';

const house = useHouse();
let owner: Person;

beforeEach(async () => {
  const person = await makeOwner(house);
  // Hours go by, and tokens with them.
  const fresh = () => ({ authorization: `Bearer ${house.app.tokens.sign(person)}` });
  const call: Person['call'] = (method, path, body, headers) =>
    person.call(method, path, body, { ...fresh(), ...headers });
  owner = { ...person, call };
});

/** A ticket for which a customer waits. */
async function makeTicket(input: object = {}): Promise<any> {
  const requester = { email: 'dana@customer.test' };
  return (await owner.call('POST', '/tickets', { subject: 's', body: 'b', requester, ...input })).body;
}
const change = (id: string, input: object) => owner.call('POST', '/tickets/bulk', { ids: [id], ...input });

/** Reads all facts, then lets time go by and runs what is due. */
async function pass(minutes: number): Promise<void> {
  await runRulesNow(house, owner);
  await workOnTimers(house.app.db, owner.workspaceId);
  house.clock.advance(minutes * 60_000);
  await workOnTimers(house.app.db, owner.workspaceId);
}

const timers = () =>
  house.app.db.rows<{ ticketId: string; isDone: boolean }>(sql`
    select ticket_id as "ticketId", done_at is not null as "isDone" from rule_timers
    where workspace_id = ${owner.workspaceId}
    order by ticket_id`);
const outcomes = async (id: string) => (await runsOf(owner, id)).map((run) => (run as string[])[1]);

test('a rule runs once when its time has gone by, if its conditions hold then', async () => {
  const conditions = { all: [{ ticket: { assignee: ['none'] } }] };
  const trigger = { after: '2h', since: 'created' };
  await makeRule(owner, { name: 'Late', trigger, conditions, actions: { priority: 'high' } });
  const [late, taken] = [await makeTicket(), await makeTicket()];
  await pass(60);
  expect(await timers()).toEqual([
    { ticketId: late.id, isDone: false },
    { ticketId: taken.id, isDone: false },
  ]);
  await change(taken.id, { assigneeId: owner.userId });
  await pass(61);
  expect(await outcomes(late.id)).toEqual(['done']);
  expect(await outcomes(taken.id)).toEqual([]);
  // Once for an anchor, whatever happens later.
  await change(taken.id, { assigneeId: null });
  await pass(60);
  expect([await outcomes(late.id), await outcomes(taken.id)]).toEqual([['done'], []]);
});

test('what happens moves and removes timers, even what no reader has read yet', async () => {
  const trigger = { after: '30m', since: 'statusChanged' };
  const conditions = { all: [{ ticket: { status: ['closed'] } }] };
  await makeRule(owner, { name: 'Tidy', trigger, conditions, actions: { archive: true } });
  const { id } = await makeTicket();
  await change(id, { status: 'closed' });
  await pass(20);
  await change(id, { status: 'open' });
  await change(id, { status: 'closed' });
  // The reader has not seen the new status.
  house.clock.advance(11 * 60_000);
  await workOnTimers(house.app.db, owner.workspaceId);
  expect(await outcomes(id)).toEqual([]);
  await pass(20);
  expect(await outcomes(id)).toEqual(['done']);
  await change(id, { status: 'open', archive: false });
  await change(id, { status: 'closed', trash: true });
  await pass(60);
  const [rule] = (await owner.call('GET', '/rules')).body;
  expect(rule.runCount).toBe(1);
});

test('a rule that is due moves the time of those behind it, which run in their order', async () => {
  const trigger = { after: '30m', since: 'statusChanged' };
  const late = await makeRule(owner, { name: 'Behind', trigger, actions: { priority: 'low' } });
  const named = async (id: string) => (await runsOf(owner, id)).map((run) => (run as string[])[0]);
  const first = await makeRule(owner, { name: 'Before', trigger, actions: { status: 'pending' } });
  expect((await owner.call('PUT', '/rules/order', { ids: [first.id, late.id] })).status).toBe(200);
  const { id } = await makeTicket();
  await pass(31);
  expect(await named(id)).toEqual(['Before']);
  await pass(31);
  // The first has moved its own time too.
  expect(await named(id)).toEqual(['Before', 'Before', 'Behind']);
});

test('an activation counts for the open tickets that match, and a pause ends what waits', async () => {
  const [old, closed] = [await makeTicket(), await makeTicket()];
  const { id: sales } = await makeTicket({ tags: ['sales'] });
  await change(closed.id, { status: 'closed' });
  house.clock.advance(3 * 3_600_000);
  const conditions = { all: [{ ticket: { tags: ['sales'] }, not: true }] };
  const trigger = { after: '2h', since: 'created' };
  const rule = await makeRule(owner, { trigger, conditions, actions: { priority: 'high' } });
  await workOnTimers(house.app.db, owner.workspaceId);
  expect(await outcomes(old.id)).toEqual(['done']);
  expect([await outcomes(closed.id), await outcomes(sales)]).toEqual([[], []]);
  const fresh = await makeTicket();
  await pass(30);
  await owner.call('POST', `/rules/${rule.id}/pause`, {});
  expect(await timers()).toEqual([{ ticketId: old.id, isDone: true }]);
  await owner.call('POST', `/rules/${rule.id}/activate`, {});
  await pass(91);
  // Not again for the same anchor.
  expect([await outcomes(old.id), await outcomes(fresh.id)]).toEqual([['done'], ['done']]);
});

test('a calendar counts its open hours, and its change moves what waits', async () => {
  const date = new Date(house.clock.now().getTime() + 300 * 86_400_000).toISOString().slice(0, 10);
  const days = [{ date, name: 'Fair', hours: [{ open: '10:00', close: '14:00' }] }];
  const seldom = await owner.call('POST', '/calendars', { name: 'Fair', timeZone: 'UTC', hours: [], days });
  expect(seldom.status).toBe(201);
  const trigger = { after: '1h', since: 'created', calendarId: seldom.body.id };
  await makeRule(owner, { trigger, actions: { priority: 'high' } });
  const { id } = await makeTicket();
  await pass(120);
  expect(await timers()).toEqual([{ ticketId: id, isDone: false }]);
  const hours = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, open: '00:00', close: '24:00' }));
  expect((await owner.call('PATCH', `/calendars/${seldom.body.id}`, { hours })).status).toBe(200);
  await workOnTimers(house.app.db, owner.workspaceId);
  expect(await outcomes(id)).toEqual(['done']);
});

test('a merge ends the timers of its source', async () => {
  await makeRule(owner, { trigger: { after: '1h', since: 'waitingSince' }, actions: { priority: 'high' } });
  const [target, source] = [await makeTicket({ direction: 'inbound' }), await makeTicket({ direction: 'inbound' })];
  await house.app.db.tx((tx) =>
    tx.run(sql`update tickets set waiting_since = ${tx.now} where workspace_id = ${owner.workspaceId}`),
  );
  await pass(10);
  expect(await timers()).toHaveLength(2);
  const merged = await owner.call('POST', `/tickets/${source.id}/merge`, { targetTicketId: target.id });
  expect(merged.status).toBe(200);
  await pass(60);
  expect((await timers()).map(({ ticketId }) => ticketId)).toEqual([target.id]);
  expect(await outcomes(source.id)).toEqual([]);
});
