import { beforeEach, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { gatherPlans, tellPlans } from '../../../test/harness/explain.ts';
import { buildReplica, useHouse } from '../../../test/harness/harness.ts';
import { mailsTo } from '../../../test/harness/links.ts';
import { boundFaults } from '../../../test/walks/plan-faults.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId, type TicketId } from '../../ground/lib/ids.ts';
import { deleteTickets } from '../../helpdesk/tickets/delete-tickets.ts';
import { record } from '../activity/record.ts';
import { mailDigests } from './mail-digests.ts';

/** What counts for a notification that gathers, as tickets and preferences change. All tickets have no mailbox. */

const house = useHouse();
const preferences = '/v1/me/notification-preferences';
const both = { inApp: true, email: true };
let owner: Person;
let ann: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
  ann = await makeMember(house, owner.workspaceId, 'agent', 'Ann');
  await choose(ann, both);
});

const choose = async (person: Person, choice: object) => {
  const types = { new_ticket: choice, unassigned_reply: choice };
  expect((await person.call('PATCH', preferences, { types })).status).toBe(200);
};
const open = async (subject = 'Help', headers = {}): Promise<{ id: TicketId; ticketNumber: number }> => {
  const ticket = { subject, body: 'b', requester: { email: 'cleo@example.net' } };
  const { status, body } = await owner.call('POST', '/tickets', ticket, headers);
  expect(status).toBe(201);
  return body;
};
/** A mail of a customer, which answers another one. */
const mail = (subject: string, id: string, answers = '') =>
  mailOf({ headers: { From: 'cleo@example.net', Subject: subject, 'Message-ID': id, 'In-Reply-To': answers } });
const mailId = () => `<${crypto.randomUUID()}@example.net>`;
const listOf = async (person: Person): Promise<any[]> => (await person.call('GET', '/notifications')).body.items;
const newest = async () => (await owner.call('GET', '/tickets?archived=any&sort=createdAt&order=desc')).body[0];

/** Lets a minute pass for this workspace alone: otherwise tokens would expire. */
const digestsLater = async () => {
  const ofOurs = sql`workspace_id = ${owner.workspaceId}`;
  await house.app.db.tx(async (tx) => {
    const past = (column: 'created_at' | 'mailed_at') =>
      column === 'created_at' ? earlier(sql`created_at`, '1 minute') : earlier(sql`mailed_at`, '1 minute');
    await tx.run(sql`update gathered_facts set created_at = ${past('created_at')} where ${ofOurs}`);
    await tx.run(sql`update notification_digests set mailed_at = ${past('mailed_at')} where ${ofOurs}`);
    await tx.run(sql`
      update notifications set created_at = ${past('created_at')}, mailed_at = ${past('mailed_at')} where ${ofOurs}`);
  });
  await mailDigests(house.app);
  await house.drain();
};

test.each([
  ['turned the type off', { inApp: false }],
  ['left the mailbox out', { mailboxIds: [] }],
])('a digest tells nobody who has %s of further tickets', async (_how, choice) => {
  const ben = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
  await choose(ben, both);
  await open('First');
  await digestsLater();
  await choose(ann, choice);
  await open('Second');
  await digestsLater();
  const counts = [await mailsTo(house, ann.email), await mailsTo(house, ben.email)].map(({ length }) => length);
  expect(counts).toEqual([1, 2]);
});

test('a ticket that comes through an API key tells its owner, who otherwise knows the ticket', async () => {
  await choose(owner, both);
  const { secret } = (await owner.call('POST', '/api-keys', { name: 'Form', role: 'agent' })).body;
  await open('By hand');
  expect(await listOf(owner)).toEqual([]);
  const { ticketNumber } = await open('From the form', { authorization: `Bearer ${secret}` });
  expect(await listOf(owner)).toMatchObject([{ count: 1, title: `New ticket #${ticketNumber} From the form` }]);
  expect(await listOf(ann)).toMatchObject([{ count: 2 }]);
});

test('a first ticket that is deleted for good leaves the others told', async () => {
  const [gone, kept] = [await open('Gone'), await open('Kept')];
  const remove = ({ id }: { id: TicketId }) => house.app.db.tx((tx) => deleteTickets(tx, owner.workspaceId, [id]));
  await remove(gone);
  const title = `New ticket #${kept.ticketNumber} Kept`;
  expect(await listOf(ann)).toMatchObject([{ count: 1, title, referenceId: kept.id, readAt: null }]);
  await remove(kept);
  expect(await listOf(ann)).toEqual([]);
});

test('a first ticket that goes out of sight leaves its person to hear of later ones', async () => {
  const secret = { name: 'Secret', visibility: 'members', memberIds: [] };
  const { body: team } = await owner.call('POST', '/teams', secret);
  await choose(owner, both);
  const [gone, kept] = [mailId(), mailId()];
  await ingest(house, owner, [mail('Gone', gone)]);
  const [{ referenceId: goneId }] = await listOf(ann);
  await owner.call('PATCH', `/tickets/${goneId}`, { teamId: team.id });
  expect(await listOf(ann)).toEqual([]);
  await ingest(house, owner, [mail('Shown', kept)]);
  await ingest(house, owner, [mail('Next', mailId())]);
  const [shown] = await listOf(ann);
  expect(shown).toMatchObject({ type: 'new_ticket', count: 2, title: '2 new tickets', readAt: null });
  expect((await ann.call('PATCH', `/notifications/${shown.id}/read`)).status).toBe(200);
  // Who sees the first ticket still has the one notification.
  expect(await listOf(owner)).toMatchObject([{ count: 3, referenceId: goneId }]);
  await ingest(house, owner, [mail('Re: Shown', mailId(), kept)]);
  await owner.call('PATCH', `/tickets/${shown.referenceId}`, { teamId: team.id });
  const third = await open('Third');
  await owner.call('PATCH', `/tickets/${goneId}`, { teamId: null });
  const heard = await listOf(ann);
  expect(heard.filter(({ readAt }) => readAt === null)).toMatchObject([{ referenceId: third.id, count: 1 }]);
  expect(heard.filter(({ referenceId }) => referenceId === goneId)).toMatchObject([{ readAt: expect.any(String) }]);
});

test('a ticket that was spam from its first mail is new when it comes out, and later is not', async () => {
  const [first, second, third] = [mailId(), mailId(), mailId()];
  expect((await owner.call('POST', '/blocked-senders', { sender: 'cleo@example.net' })).status).toBe(201);
  await ingest(house, owner, [mail('Real', first), mail('Re: Real', second, first)]);
  const { id, ticketNumber, messageCount } = await house.app.db.one<Record<string, unknown>>(sql`
    select id, ticket_number as "ticketNumber", message_count as "messageCount" from tickets
    where workspace_id = ${owner.workspaceId}`);
  expect(messageCount).toBe(2);
  expect((await owner.call('POST', `/tickets/${id}/not-spam`)).status).toBe(200);
  expect(await listOf(ann)).toMatchObject([{ type: 'new_ticket', title: `New ticket #${ticketNumber} Real` }]);
  expect((await owner.call('POST', `/tickets/${id}/spam`)).status).toBe(200);
  await ingest(house, owner, [mail('Re: Real', third, first)]);
  expect((await owner.call('POST', `/tickets/${id}/not-spam`)).status).toBe(200);
  expect((await listOf(ann))[0]).toMatchObject({ type: 'unassigned_reply', count: 1 });
});

test('a fact with an earlier id that comes later is counted, and is the first from then on', async () => {
  const { db } = house.app;
  await choose(ann, { inApp: false });
  const early = await open('Early');
  await choose(ann, both);
  const key = sql`hashtextextended(${newId()}, 0)`;
  const recorded = Promise.withResolvers<void>();
  const held = Promise.withResolvers<Promise<unknown>>();
  await db.tx(async (holder) => {
    await holder.run(sql`select pg_advisory_xact_lock(${key})`);
    const late = db.tx(async (tx) => {
      const waiting = tx.run(sql`select pg_advisory_xact_lock(${key})`);
      const by = { workspaceId: owner.workspaceId, userId: null, isCustomer: true };
      const created = { type: 'ticket.created', data: { channel: 'email' }, isNewTicket: true } as const;
      const written = record(tx, by, { ...created, ticketId: early.id });
      recorded.resolve();
      await Promise.all([waiting, written]);
    });
    held.resolve(late);
    await recorded.promise;
    await open('Late');
    expect(await listOf(ann)).toMatchObject([{ count: 1, title: expect.stringMatching(/Late$/) }]);
  });
  await await held.promise;
  const [notification] = await listOf(ann);
  expect(notification).toMatchObject({ count: 2, referenceId: early.id });
  await house.app.db.tx((tx) =>
    tx.run(sql`
    delete from gathered_facts where workspace_id = ${owner.workspaceId} and ticket_id <> ${early.id}`),
  );
  expect((await listOf(ann))[0]).toMatchObject({ title: `New ticket #${early.ticketNumber} Early` });
});

/** A first ticket is told. While a later one is being told, and until something waits for that, `work` begins. */
async function meanwhile<Done>(work: (first: { id: string; ticketId: string }) => Promise<Done>): Promise<Done> {
  const { db } = house.app;
  await choose(ann, { inApp: false });
  const { id: ticketId } = await open('Late');
  await choose(ann, both);
  const first = await open('First');
  const [{ id }] = await listOf(ann);
  const [recorded, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = db.tx(async (tx) => {
    const by = { workspaceId: owner.workspaceId, userId: null, isCustomer: true };
    await record(tx, by, { type: 'ticket.created', data: { channel: 'email' }, isNewTicket: true, ticketId });
    recorded.resolve();
    await finish.promise;
  });
  await recorded.promise;
  let isDone = false;
  const working = work({ id, ticketId: first.id }).finally(() => {
    isDone = true;
  });
  const isWaiting = async () => {
    const { rowCount } = await db.pool.query(`
      select from pg_locks
      where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`);
    return isDone || rowCount !== 0;
  };
  await expect.poll(isWaiting).toBe(true);
  finish.resolve();
  await late;
  return working;
}

test('a ticket that is told while somebody reads is counted, or told anew', async () => {
  const { body } = await meanwhile(({ id }) => ann.call('PATCH', `/notifications/${id}/read`));
  expect(body).toMatchObject({ count: 2, title: '2 new tickets' });
});

test.each([
  ['the trash', (id: string) => owner.call('DELETE', `/tickets/${id}`)],
  ['spam', (id: string) => owner.call('POST', `/tickets/${id}/spam`)],
])('a ticket that is told while the first one goes into %s stays told', async (_, move) => {
  expect((await meanwhile(({ ticketId }) => move(ticketId))).status).toBeLessThan(300);
  expect(await listOf(ann)).toMatchObject([{ count: 2, title: '2 new tickets', readAt: null }]);
});

test('two replies in one ticket are not several tickets: its trash reads them', async () => {
  const first = mailId();
  await choose(ann, { inApp: false });
  await ingest(house, owner, [mail('Where?', first)]);
  await choose(ann, both);
  await ingest(house, owner, [mail('Re: Where?', mailId(), first), mail('Re: Where?', mailId(), first)]);
  expect(await listOf(ann)).toMatchObject([{ type: 'unassigned_reply', count: 2 }]);
  const { id } = await newest();
  expect((await owner.call('DELETE', `/tickets/${id}`)).status).toBeLessThan(300);
  expect((await ann.call('GET', '/notifications/unread-count')).body).toEqual({ count: 0 });
  expect(await listOf(ann)).toEqual([]);
});

test('a mailbox that a person chose before may stay, even after they have left its workspace', async () => {
  const gone = newId();
  await house.app.db.tx((tx) =>
    tx.run(sql`
    update notification_preferences
    set types = jsonb_set(types, '{new_ticket,mailboxIds}', ${JSON.stringify([gone])}::jsonb)
    where user_id = ${ann.userId}`),
  );
  const change = (mailboxIds: string[]) => ann.call('PATCH', preferences, { types: { new_ticket: { mailboxIds } } });
  expect((await change([gone])).status).toBe(200);
  expect((await change([gone, newId()])).status).toBe(400);
});

const many = 3_000;

test('the digests of each minute read neither what was mailed before nor the facts of it', async () => {
  const reader = await makeMember(house, owner.workspaceId, 'agent');
  const types = { new_ticket: { inApp: true, email: true } };
  await reader.call('PATCH', '/v1/me/notification-preferences', { types });
  const { id } = (await owner.call('POST', '/tickets', { subject: 's', body: 'b', assigneeId: reader.userId })).body;
  const { workspaceId } = owner;
  await house.app.db.tx(async (tx) => {
    const before = sql`${tx.now}::timestamptz - interval '2 hours'`;
    await tx.run(sql`update notifications set created_at = ${before} where workspace_id = ${workspaceId}`);
    await tx.run(sql`
      insert into activity (workspace_id, id, ticket_id, type, actor_type, data, created_at)
      select ${workspaceId}, gen_random_uuid(), ${id}, 'message.added', 'customer', '{}', ${before}
      from generate_series(1, ${many}::integer)`);
    const facts = sql`from activity where workspace_id = ${workspaceId} and type = 'message.added'`;
    await tx.run(sql`
      insert into gathered_facts (workspace_id, activity_id, type, mailbox_id, ticket_id, passed_over, created_at)
      select workspace_id, id, 'new_ticket', '00000000-0000-0000-0000-000000000000', ticket_id, '{}', created_at
      ${facts}`);
    await tx.run(sql`
      insert into notifications (workspace_id, id, user_id, type, reference_id, activity_id, title, title_of_many,
        mailed_at, created_at)
      select workspace_id, gen_random_uuid(), ${reader.userId},
        case when row_number() over (order by id) = 1 then 'new_ticket' else 'reply' end, ticket_id, id, 't',
        case when row_number() over (order by id) = 1 then '%n new tickets' end,
        ${tx.now}::timestamptz - interval '1 hour', created_at
      ${facts}`);
  });
  await house.app.db.pool.query('analyze');
  await tellPlans(house);
  await using stack = new AsyncDisposableStack();
  let ran: ReturnType<typeof gatherPlans> = [];
  const replica = await buildReplica(house, 1, (app) => {
    ran = gatherPlans(app, 'select 1');
  });
  stack.defer(replica.close);
  await mailDigests(replica.app);
  await replica.app.db.pool.query('begin; commit');
  expect(await mailsTo(house, reader.email)).toHaveLength(1);
  expect(ran.length).toBeGreaterThan(3);
  expect(boundFaults(ran)).toEqual([]);
});
