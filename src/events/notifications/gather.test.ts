import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { type EventReader, readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { mailsTo } from '../../../test/harness/links.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingestMails, mailOf, sourceOf } from '../../../test/worlds/mails.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { mailDigests } from './mail-digests.ts';

const house = useHouse();
const preferences = '/v1/me/notification-preferences';
const both = { inApp: true, email: true };
let owner: Person;
let ann: Person;
let mailboxId: string;

beforeEach(async () => {
  owner = await makeOwner(house);
  ann = await makeMember(house, owner.workspaceId, 'agent', 'Ann');
  mailboxId = await connect('help@example.com', 'Support');
});

async function connect(address: string, name: string): Promise<string> {
  const { workspaceId } = owner;
  const unique = `${crypto.randomUUID().slice(-8)}-${address}`;
  const { id } = await putMailbox(house, { workspaceId, provider: 'mail-b', address: unique, refreshToken: 'r' });
  await house.app.db.tx((tx) =>
    tx.run(sql`update mailboxes set name = ${name} where workspace_id = ${workspaceId} and id = ${id}`),
  );
  return id;
}

const subscribe = async (person: Person, types: object = { new_ticket: both, unassigned_reply: both }) =>
  expect((await person.call('PATCH', preferences, { types })).status).toBe(200);
const open = async (subject = 'Help', more: object = {}, by = owner) => {
  const ticket = { subject, body: 'b', requester: { email: 'cleo@example.net' }, mailboxId, ...more };
  const { status, body } = await by.call('POST', '/tickets', ticket);
  expect(status).toBe(201);
  return body;
};
/** A mail of a customer, which answers a ticket that a mail of theirs has opened. */
const mail = (subject: string, answers?: string) => {
  const id = `<${crypto.randomUUID()}@example.net>`;
  const headers = { From: 'cleo@example.net', Subject: subject, 'Message-ID': id };
  return { id, content: mailOf({ headers: { ...headers, ...(answers !== undefined && { 'In-Reply-To': answers }) } }) };
};
const take = (contents: Buffer[], origin?: 'import') =>
  ingestMails(house.app, sourceOf(house, owner, origin), contents);
const listOf = async (person: Person): Promise<any[]> => (await person.call('GET', '/notifications')).body.items;
const titlesOf = async (person: Person): Promise<string[]> => (await listOf(person)).map(({ title }) => title);
const read = async (person: Person, { id }: { id: string }) =>
  expect((await person.call('PATCH', `/notifications/${id}/read`)).status).toBe(200);

describe('new tickets', () => {
  test('are one notification for each mailbox until it is read, then another', async () => {
    await subscribe(ann);
    const first = await open('Broken');
    const title = `New ticket #${first.ticketNumber} Broken`;
    expect(await listOf(ann)).toMatchObject([
      { type: 'new_ticket', count: 1, title, referenceId: first.id, mailboxId },
    ]);
    await open();
    const other = await connect('sales@example.com', 'Sales');
    const sale = await open('Buy', { mailboxId: other });
    const [ofSales, ofSupport] = await listOf(ann);
    expect(ofSales).toMatchObject({ count: 1, title: `New ticket #${sale.ticketNumber} Buy`, mailboxId: other });
    expect(ofSupport).toMatchObject({ count: 2, title: '2 new tickets in Support', referenceId: first.id });
    await read(ann, ofSupport);
    const third = await open('Anew');
    expect(await titlesOf(ann)).toEqual([
      `New ticket #${third.ticketNumber} Anew`,
      ofSales.title,
      '2 new tickets in Support',
    ]);
  });

  test('tell only those who asked, in their language, and nobody of their own', async () => {
    await subscribe(ann);
    await ann.call('PATCH', '/v1/me/preferences', { locale: 'de-CH' });
    const ben = await makeMember(house, owner.workspaceId, 'viewer', 'Ben');
    const stranger = await makeOwner(house, 'Elsewhere');
    await subscribe(stranger);
    await open('Eins');
    await open('Eigenes', {}, ann);
    await open('Zwei', { assigneeId: ann.userId });
    await open('Drei');
    expect(await titlesOf(ann)).toEqual([expect.stringMatching(/^Ihnen wurde /), '2 neue Tickets in Support']);
    expect([await listOf(ben), await listOf(stranger)]).toEqual([[], []]);
  });

  test('tell of the chosen mailboxes alone', async () => {
    const other = await connect('sales@example.com', 'Sales');
    await subscribe(ann, { new_ticket: { ...both, mailboxIds: [other] } });
    await open();
    await open('No mailbox', { mailboxId: null });
    await open('Buy', { mailboxId: other });
    expect(await listOf(ann)).toMatchObject([{ count: 1, mailboxId: other }]);
    await subscribe(ann, { new_ticket: { mailboxIds: [] } });
    await open('Buy', { mailboxId: other });
    expect(await listOf(ann)).toHaveLength(1);
    await subscribe(ann, { new_ticket: { mailboxIds: null } });
    for (const subject of ['One', 'Two']) await open(subject, { mailboxId: null });
    expect(await titlesOf(ann)).toEqual(['2 new tickets', expect.any(String)]);
  });

  test('of one batch of mails, and of many transactions at once, count each once', async () => {
    await subscribe(ann);
    await take(Array.from({ length: 5 }, (_, nth) => mail(`Batch ${nth}`).content));
    expect(await listOf(ann)).toMatchObject([{ type: 'new_ticket', count: 5, mailboxId: null }]);
    const ben = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
    await subscribe(ben);
    await Promise.all(Array.from({ length: 12 }, (_, nth) => open(`At once ${nth}`)));
    for (const person of [ann, ben])
      expect((await listOf(person))[0]).toMatchObject({ count: 12, title: '12 new tickets in Support', mailboxId });
  });

  test('are silent for imports, spam, samples and tickets that colleagues begin', async () => {
    await subscribe(ann);
    expect((await owner.call('POST', '/sample-tickets')).status).toBe(201);
    await take([mail('Long ago').content], 'import');
    await open('Sample', { requester: { email: 'x@sample-customers.example' } });
    await open('Ours', { requester: null });
    expect(await listOf(ann)).toEqual([]);
  });

  test('that turn out to be no spam are told then, and only then', async () => {
    await subscribe(ann);
    expect((await owner.call('POST', '/blocked-senders', { sender: 'cleo@example.net' })).status).toBe(201);
    await take([mail('Not spam').content]);
    const { id, number } = await house.app.db.one<{ id: string; number: number }>(sql`
      select id, ticket_number as number from tickets where workspace_id = ${owner.workspaceId}`);
    expect(await listOf(ann)).toEqual([]);
    expect((await owner.call('POST', `/tickets/${id}/not-spam`)).status).toBe(200);
    expect(await titlesOf(ann)).toEqual([`New ticket #${number} Not spam`]);
  });

  test('stay told of when the first of them goes to the trash', async () => {
    await subscribe(ann);
    const gone = await open('Gone');
    await open('Kept');
    expect((await owner.call('DELETE', `/tickets/${gone.id}`)).status).toBeLessThan(300);
    expect(await listOf(ann)).toMatchObject([{ count: 2, readAt: null }]);
    expect((await ann.call('GET', '/notifications/unread-count')).body).toEqual({ count: 1 });
  });

  test('are told with the ticket or not at all', async () => {
    await subscribe(ann);
    const { db } = house.app;
    await db.pool.query(`
      create function fail_here() returns trigger language plpgsql as $$ begin raise exception 'stop'; end $$;
      create trigger fail_here before insert on notifications for each row
        when (new.type = 'new_ticket') execute function fail_here()`);
    const ticket = { subject: 'Lost', body: 'b', requester: { email: 'cleo@example.net' }, mailboxId };
    expect((await owner.call('POST', '/tickets', ticket)).status).toBe(500);
    await db.pool.query('drop trigger fail_here on notifications; drop function fail_here()');
    const { count } = await db.one<{ count: number }>(sql`
      select count(*) as count from tickets where workspace_id = ${owner.workspaceId} and subject = 'Lost'`);
    expect([count, await listOf(ann)]).toEqual([0, []]);
  });

  test('that are hidden from a person are not counted', async () => {
    for (const person of [ann, owner]) await subscribe(person);
    const ben = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
    const team = { name: 'People', visibility: 'members', memberIds: [ben.userId] };
    const { body } = await owner.call('POST', '/teams', team);
    for (const [subject, teamId] of [
      ['Open', null],
      ['Secret', body.id],
    ])
      await open(subject, { teamId }, ben);
    expect(await listOf(ann)).toMatchObject([{ count: 1, title: expect.stringMatching(/Open$/) }]);
    expect(await listOf(owner)).toMatchObject([{ count: 2 }]);
  });

  test('reach the stream of those whom they tell, with the first of them', async () => {
    await subscribe(ann);
    const [own, others] = [await readEvents(house, ann), await readEvents(house, owner)];
    onTestFinished(() => {
      own.close();
      others.close();
    });
    for (const reader of [own, others]) await reader.until(() => reader.lastEventId() !== '');
    const first = await open();
    const second = await open();
    const hasBoth = (events: { data: { ticketId: string } }[]) =>
      [first, second].every(({ id }) => events.some(({ data }) => data.ticketId === id));
    const ofNotifications = async (reader: EventReader) =>
      (await reader.until(hasBoth)).filter(({ event }) => event === 'notification');
    const notification = { type: 'new_ticket', mailboxId, referenceId: first.id, count: 1 };
    expect((await ofNotifications(own)).map(({ data }) => data)).toMatchObject([{ ticketId: first.id, notification }]);
    expect(await ofNotifications(others)).toEqual([]);
  });

  test('tell no member who has left', async () => {
    await subscribe(ann);
    await owner.call('DELETE', `/members/${ann.userId}`);
    await open();
    const { count } = await house.app.db.one<{ count: number }>(sql`
      select count(*) as count from notifications
      where workspace_id = ${owner.workspaceId} and user_id = ${ann.userId}`);
    expect(count).toBe(0);
  });
});

describe('replies in unassigned tickets', () => {
  test('tell those who asked and do not follow, until somebody has the ticket', async () => {
    const opening = mail('Where is it?');
    await take([opening.content]);
    const [ticket] = (await owner.call('GET', '/tickets?sort=createdAt&order=desc')).body;
    await subscribe(ann);
    const ben = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
    await subscribe(ben);
    await ben.call('POST', `/tickets/${ticket.id}/followers`);
    await take([mail('Re: Where is it?', opening.id).content]);
    const title = `New reply in #${ticket.ticketNumber} Where is it?`;
    expect(await listOf(ann)).toMatchObject([{ type: 'unassigned_reply', title: `${title}, which is unassigned` }]);
    expect(await listOf(ben)).toMatchObject([{ type: 'reply', title }]);
    await take([mail('Re: Where is it?', opening.id).content, mail('Re: Where is it?', opening.id).content]);
    expect(await listOf(ann)).toMatchObject([{ count: 3, title: '3 new replies in unassigned tickets' }]);
    await owner.call('PATCH', `/tickets/${ticket.id}`, { assigneeId: ben.userId });
    await take([mail('Re: Where is it?', opening.id).content]);
    expect(await listOf(ann)).toMatchObject([{ count: 3 }]);
  });

  test('of mail to a merged ticket tell of the ticket that it is in now', async () => {
    const [one, two] = [mail('One'), mail('Two')];
    await take([one.content, two.content]);
    const [second, first] = (await owner.call('GET', '/tickets?sort=createdAt&order=desc')).body;
    expect((await owner.call('POST', `/tickets/${first.id}/merge`, { targetTicketId: second.id })).status).toBe(200);
    await subscribe(ann);
    await take([mail('Re: One', one.id).content, mail('Re: Two', two.id).content]);
    expect(await listOf(ann)).toMatchObject([{ type: 'unassigned_reply', referenceId: second.id, count: 2 }]);
  });
});

describe('by mail', () => {
  /** Lets a minute pass for this workspace alone: otherwise tokens would expire. */
  const age = () =>
    house.app.db.tx(async (tx) => {
      const past = (column: Sql) => earlier(column, '1 minute');
      const ofOurs = sql`workspace_id = ${owner.workspaceId}`;
      await tx.run(sql`update gathered_facts set created_at = ${past(sql`created_at`)} where ${ofOurs}`);
      await tx.run(sql`update notification_digests set mailed_at = ${past(sql`mailed_at`)} where ${ofOurs}`);
      await tx.run(sql`
        update notifications set created_at = ${past(sql`created_at`)}, mailed_at = ${past(sql`mailed_at`)}
        where ${ofOurs}`);
    });

  test('a notification that has gathered more is told again, once', async () => {
    await subscribe(ann);
    await open('First');
    await age();
    await mailDigests(house.app);
    expect(await mailsTo(house, ann.email)).toHaveLength(1);
    await age();
    await mailDigests(house.app);
    await open('Second');
    await mailDigests(house.app);
    expect(await mailsTo(house, ann.email)).toHaveLength(1);
    await age();
    await mailDigests(house.app);
    const mails = await mailsTo(house, ann.email);
    expect(mails).toHaveLength(2);
    expect(mails.at(-1)?.text).toContain('- 2 new tickets in Support');
    await age();
    await mailDigests(house.app);
    expect(await mailsTo(house, ann.email)).toHaveLength(2);
  });
});

test('a mailbox of a workspace whose member one is not is refused', async () => {
  const stranger = await makeOwner(house, 'Elsewhere');
  const change = { types: { new_ticket: { mailboxIds: [mailboxId] } } };
  const answer = await stranger.call('PATCH', preferences, change);
  expect([answer.status, answer.body.key]).toEqual([400, 'request.invalid']);
  expect((await ann.call('PATCH', preferences, change)).body.types.new_ticket).toEqual({
    inApp: false,
    email: false,
    mailboxIds: [mailboxId],
  });
});
