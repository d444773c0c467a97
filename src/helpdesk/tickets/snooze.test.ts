import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { listDueSnoozes, wakeTicket } from './snooze.ts';

const house = useHouse();
const minuteMs = 60_000;
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent');
});

const inMinutes = (minutes: number): string => new Date(house.clock.now().getTime() + minutes * minuteMs).toISOString();

async function make(input: object = {}): Promise<any> {
  return (await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It does not print.', ...input })).body;
}
const read = async ({ id }: { id: string }) => (await owner.call('GET', `/tickets/${id}`)).body;
const snooze = ({ id }: { id: string }, snoozedUntil: string | null, headers = {}) =>
  agent.call('PATCH', `/tickets/${id}`, { snoozedUntil }, headers);
const listed = async (query: string, { id }: { id: string }): Promise<boolean> =>
  (await owner.call('GET', `/tickets?limit=500${query}`)).body.some((ticket: any) => ticket.id === id);
const eventsOf = async ({ id }: { id: string }): Promise<any[]> =>
  (await owner.call('GET', `/tickets/${id}/events`)).body.items;

async function pass(minutes: number): Promise<void> {
  house.clock.advance(minutes * minuteMs);
  await house.drain();
}

describe('a snoozed ticket', () => {
  test('is missing from the default list until its time, and in the list of snoozed tickets', async () => {
    const ticket = await make();
    const until = inMinutes(2);
    const answer = await snooze(ticket, until);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ snoozedUntil: until, status: 'open', version: 2 });
    expect(answer.headers.get('etag')).toBe('"2"');
    expect(await listed('', ticket)).toBe(false);
    expect(await listed('&snoozed=true', ticket)).toBe(true);
    await pass(1);
    expect(await read(ticket)).toMatchObject({ snoozedUntil: until, version: 2 });
    await pass(1);
    expect(await read(ticket)).toMatchObject({ snoozedUntil: null, status: 'open', version: 3 });
    expect(await listed('', ticket)).toBe(true);
    expect(await listed('&snoozed=true', ticket)).toBe(false);
    expect((await eventsOf(ticket)).slice(1)).toMatchObject([
      { type: 'ticket.snoozed', actor: { type: 'agent', userId: agent.userId }, data: { until } },
      { type: 'ticket.woken', actor: { type: 'system' }, data: { by: 'time' } },
    ]);
  });

  test('comes back open and unarchived, whatever changed meanwhile', async () => {
    const ticket = await make();
    await snooze(ticket, inMinutes(1));
    await owner.call('POST', `/tickets/${ticket.id}/status`, { toStatus: 'closed' });
    const archived = await owner.call('POST', `/tickets/${ticket.id}/archive`);
    expect(archived.body).toMatchObject({ status: 'closed', snoozedUntil: expect.any(String) });
    await pass(1);
    const woken = await read(ticket);
    expect(woken).toMatchObject({ snoozedUntil: null, status: 'open', archivedAt: null });
    expect(woken.lastMessageAt).toBe(ticket.lastMessageAt);
    expect((await eventsOf(ticket)).slice(-3)).toMatchObject([
      { type: 'ticket.woken', data: { by: 'time' } },
      { type: 'ticket.status_changed', actor: { type: 'system' }, data: { from: 'closed', to: 'open' } },
      { type: 'ticket.unarchived' },
    ]);
  });

  test('stays snoozed when an agent answers', async () => {
    const ticket = await make();
    const until = inMinutes(1);
    await snooze(ticket, until);
    await agent.call('POST', `/tickets/${ticket.id}/messages`, { body: 'Any news?' });
    expect(await read(ticket)).toMatchObject({ snoozedUntil: until });
  });

  test('wakes by null and keeps its status', async () => {
    const ticket = await make();
    await owner.call('POST', `/tickets/${ticket.id}/status`, { toStatus: 'pending' });
    await snooze(ticket, inMinutes(1));
    expect((await snooze(ticket, null)).body).toMatchObject({ snoozedUntil: null, status: 'pending' });
    expect(await listed('', ticket)).toBe(true);
    expect((await eventsOf(ticket)).at(-1)).toMatchObject({ type: 'ticket.woken', data: { by: 'agent' } });
    const { version } = await read(ticket);
    await pass(1);
    expect(await read(ticket)).toMatchObject({ status: 'pending', version });
  });

  test('with a new time wakes only at that time', async () => {
    const ticket = await make();
    await snooze(ticket, inMinutes(1));
    await snooze(ticket, inMinutes(3));
    await pass(1);
    expect((await read(ticket)).snoozedUntil).not.toBeNull();
    await snooze(ticket, inMinutes(1));
    await pass(1);
    expect((await read(ticket)).snoozedUntil).toBeNull();
  });

  test('wakes once, however many processes try', async () => {
    const ticket = await make();
    await snooze(ticket, inMinutes(1));
    house.clock.advance(minuteMs);
    const named = { workspaceId: owner.workspaceId, ticketId: ticket.id };
    await Promise.all([1, 2, 3].map(() => house.app.db.tx((tx) => wakeTicket(tx, named))));
    expect((await eventsOf(ticket)).slice(1).map(({ type }) => type)).toEqual(['ticket.snoozed', 'ticket.woken']);
  });

  test('that somebody else has locked stays due, and its worker does not wait', async () => {
    const ticket = await make();
    await snooze(ticket, inMinutes(1));
    house.clock.advance(minuteMs);
    const named = { workspaceId: owner.workspaceId, ticketId: ticket.id };
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`
        select from tickets where workspace_id = ${named.workspaceId} and id = ${named.ticketId} for no key update`);
      await house.app.db.tx((other) => wakeTicket(other, named));
    });
    expect((await read(ticket)).snoozedUntil).not.toBeNull();
    await house.drain();
    expect((await read(ticket)).snoozedUntil).toBeNull();
  });

  test('is listed when due beside a workspace with hundreds of due tickets', async () => {
    const [crowded, quiet] = [await makeOwner(house), await makeOwner(house)];
    const now = new Date('2001-01-01');
    for (const { call, workspaceId } of [crowded, quiet]) {
      await call('POST', '/tickets', { subject: 's', body: 'b' });
      const copies = workspaceId === crowded.workspaceId ? 300 : 0;
      await house.app.db.tx(async (tx) => {
        await tx.run(sql`
          update tickets set snoozed_until = ${now}::timestamptz - interval '1 day'
          where workspace_id = ${workspaceId}`);
        await tx.run(sql`
          insert into tickets
          select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'ticket_number', 1 + n))).*
          from tickets t, generate_series(1, ${copies}::int) n where t.workspace_id = ${workspaceId}`);
      });
    }
    const scope = { now, within: () => emptySql, except: () => emptySql, rowsMax: 200 };
    const due = await listDueSnoozes(house.app.db, scope);
    expect(Map.groupBy(due, ({ workspaceId }) => workspaceId)).toEqual(
      new Map([
        [crowded.workspaceId, expect.objectContaining({ length: 100 })],
        [quiet.workspaceId, expect.objectContaining({ length: 1 })],
      ]),
    );
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update tickets set snoozed_until = null
        where workspace_id = any(${[crowded.workspaceId, quiet.workspaceId]}::uuid[])`),
    );
  });

  test('is left alone at its time once a customer’s reply has woken it', async () => {
    await ingest(house, owner, [mailOf({ headers: { 'Message-ID': '<early@example.org>' } })]);
    const [ticket] = (await owner.call('GET', '/tickets?search=%3Cearly@example.org%3E')).body;
    await snooze(ticket, inMinutes(1));
    await ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': '<early@example.org>' } })]);
    const woken = await read(ticket);
    expect(woken).toMatchObject({ snoozedUntil: null, status: 'open' });
    await pass(1);
    expect(await read(ticket)).toMatchObject({ version: woken.version });
  });
});

describe('the time of a snooze', () => {
  test('is stored in UTC with milliseconds, whatever its time zone', async () => {
    const ticket = await make();
    expect((await snooze(ticket, '2090-06-01T12:00:00.1239+02:00')).body.snoozedUntil).toBe('2090-06-01T10:00:00.123Z');
  });

  test('set again to the same time changes nothing', async () => {
    const ticket = await make();
    const until = inMinutes(1);
    await snooze(ticket, until);
    const again = await snooze(ticket, until);
    expect(again.body).toMatchObject({ snoozedUntil: until, version: 2 });
    const awake = await make();
    expect((await snooze(awake, null)).body.version).toBe(1);
  });

  test.each([
    ['past', '2020-01-01T00:00:00Z'],
    ['more than a hundred years away', '9999-12-31T23:59:59Z'],
    ['no time', 'tomorrow'],
    ['a leap second', '2090-12-31T23:59:60Z'],
    ['without a zone', '2090-12-31T23:59:59'],
    ['a number', 4_102_444_800_000],
    ['empty', ''],
  ])('that is %s is refused by its name', async (_what, snoozedUntil) => {
    const ticket = await make();
    const answer = await agent.call('PATCH', `/tickets/${ticket.id}`, { snoozedUntil, priority: 'high' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      key: 'request.invalid',
      params: { issues: [{ path: 'body.snoozedUntil' }] },
    });
    expect(await read(ticket)).toMatchObject({ snoozedUntil: null, priority: 'normal', version: 1 });
  });

  test('honours If-Match, and the body is checked before the ticket is looked up', async () => {
    const ticket = await make();
    expect((await snooze(ticket, inMinutes(1), { 'if-match': '"7"' })).status).toBe(412);
    const nowhere = { id: '01890a5d-ac96-774b-bcce-b302099a8057' };
    expect((await snooze(nowhere, '2020-01-01T00:00:00Z')).status).toBe(400);
    expect((await snooze(nowhere, inMinutes(1))).status).toBe(404);
  });
});
