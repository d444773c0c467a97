import { beforeAll, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { mailDigests } from '../../events/notifications/mail-digests.ts';
import { sql } from '../../ground/database/sql.ts';
import { answerAsCustomer } from './answer-sample.ts';
import { conversations } from './conversations.ts';

const house = useHouse();
let owner: Person;
let tickets: { id: string; ticketNumber: number; subject: string }[];

const samples = '/sample-tickets';
const read = async (id: string, person = owner) => (await person.call('GET', `/tickets/${id}`)).body;
const answer = async (id: string, input: object = {}) => {
  const { status, body } = await owner.call('POST', `/tickets/${id}/messages`, {
    body: 'We are looking into it.',
    sendEmail: true,
    ...input,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};
/** When the waiting replies are due, from now. */
const dueInSeconds = async () => {
  const jobs = await house.app.db.rows<{ seconds: number }>(sql`
    select extract(epoch from run_at - created_at)::float as seconds
    from graphile_worker.jobs where task_identifier = 'sample.answer' and run_at > now()`);
  return jobs.map(({ seconds }) => seconds);
};
/** Sends waiting mail, and makes the customers reply at once. */
const letReply = async () => {
  await house.drain();
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update graphile_worker._private_jobs set run_at = now()
      where task_id = (select id from graphile_worker._private_tasks where identifier = 'sample.answer')`),
  );
  await house.drain();
};

beforeAll(async () => {
  owner = await makeOwner(house);
  const { status, body } = await owner.call('POST', samples);
  expect(status, JSON.stringify(body)).toBe(201);
  tickets = body.tickets;
});

describe('sample tickets', () => {
  test('are twelve, newest first, tagged, and made once', async () => {
    const list = (await owner.call('GET', '/tickets?limit=100&sort=updatedAt&tags=sample')).body;
    expect(list).toHaveLength(12);
    const byActivity = list.toSorted((a: any, b: any) => (a.lastMessageAt < b.lastMessageAt ? 1 : -1));
    expect(byActivity.map(({ id }: { id: string }) => id)).toEqual(tickets.map(({ id }) => id));
    expect(new Set(list.map(({ status }: any) => status))).toEqual(new Set(['open', 'pending', 'closed']));
    const again = await owner.call('POST', samples);
    expect(again).toMatchObject({ status: 409, body: { key: 'sample.exists' } });
    const { messages } = await read(tickets[3]?.id ?? '');
    expect(messages[0].attachments).toMatchObject([{ fileName: 'browser-log.txt' }]);
    const { pathname, search } = new URL(messages[0].attachments[0].url, house.url);
    expect(await (await fetch(`${house.url}${pathname}${search}`)).text()).toContain('502');
  });

  test('send no mail, and their customer replies about 8 seconds later, once per answer', async () => {
    const { id } = tickets[0] ?? { id: '' };
    const first = await answer(id, { thenStatus: 'closed' });
    await house.drain();
    expect((await read(id)).messages.at(-1)).toMatchObject({ id: first.id, delivery: { status: 'sent' } });
    const [seconds = 0] = await dueInSeconds();
    expect(seconds).toBeGreaterThan(5);
    expect(seconds).toBeLessThanOrEqual(8.5);
    await letReply();
    const replied = await read(id);
    expect(replied).toMatchObject({ status: 'open', messageCount: 3 });
    expect(replied.messages.at(-1)).toMatchObject({
      direction: 'inbound',
      author: { type: 'customer', email: conversations[0]?.from.email },
      replyText: conversations[0]?.replies[0],
    });
    // The job runs again, as after a kill that follows its commit.
    const again = { workspaceId: owner.workspaceId, messageId: first.id };
    await house.app.db.tx((tx) => answerAsCustomer(tx, again));
    expect((await read(id)).messageCount).toBe(3);
    await answer(id);
    await letReply();
    expect((await read(id)).messages.at(-1).replyText).toBe(conversations[0]?.replies[1]);
    expect(await house.outbox()).toEqual([]);
  });

  test('get one reply to two answers within 8 seconds, and none to a note', async () => {
    const { id } = tickets[1] ?? { id: '' };
    await answer(id);
    await house.drain();
    await answer(id, { body: 'And one more thing.' });
    await answer(id, { body: 'A note', isInternal: true, sendEmail: false });
    await letReply();
    const { messages } = await read(id);
    expect(messages).toHaveLength(5);
    expect(messages.at(-1).body).toContain('> And one more thing.');
  });

  test('mail nobody, neither a real Cc nor a mentioned colleague', async () => {
    const { id } = tickets[2] ?? { id: '' };
    const colleague = await makeMember(house, owner.workspaceId, 'agent');
    await colleague.call('PATCH', '/v1/me/notification-preferences', { digest: 'at_once' });
    await answer(id, { ccAddresses: ['real@example.org'], body: `@[C](user:${colleague.userId}) look` });
    await letReply();
    expect((await colleague.call('GET', '/notifications')).body.items.length).toBeGreaterThan(0);
    await house.app.db.tx((tx) =>
      tx.run(sql`update notifications set created_at = ${earlier(sql`created_at`, '1 hour')}`),
    );
    await mailDigests(house.app);
    await house.drain();
    expect(await house.outbox()).toEqual([]);
  });

  test('stay apart from real ones: no merge, and no mail to their customers', async () => {
    const { body: real } = await owner.call('POST', '/tickets', {
      subject: 'Real',
      body: 'b',
      requester: { email: 'ann@example.org' },
    });
    const { id, ticketNumber } = tickets[4] ?? { id: '', ticketNumber: 0 };
    for (const [source, target] of [
      [id, real.id],
      [real.id, id],
    ])
      expect(await owner.call('POST', `/tickets/${source}/merge`, { targetTicketId: target })).toMatchObject({
        status: 409,
        body: { key: 'ticket.sample' },
      });
    expect((await owner.call('POST', `/tickets/${tickets[5]?.id}/merge`, { targetTicketId: id })).status).toBe(200);
    expect((await read(id)).ticketNumber).toBe(ticketNumber);
    const sampleEmail = conversations[0]?.from.email ?? '';
    await answer(real.id, { toAddresses: ['ann@example.org', sampleEmail] });
    await house.drain();
    const [mail = '', ...others] = await house.outbox();
    expect(others).toEqual([]);
    expect(mail).toContain('ann@example.org');
    expect(mail).not.toContain(sampleEmail);
  });
});

describe('deleting the samples', () => {
  test('deletes everything, including split tickets and tickets for their customers', async () => {
    const other = await makeOwner(house);
    await other.call('POST', samples);
    const before = (await owner.call('GET', '/tickets?limit=100&archived=any')).body;
    const { messages } = await read(tickets[0]?.id ?? '');
    const split = await owner.call('POST', `/tickets/${tickets[0]?.id}/split`, { messageIds: [messages.at(-1).id] });
    expect(split.status).toBe(201);
    const made = await owner.call('POST', '/tickets', {
      subject: 'New',
      body: 'b',
      sendEmail: true,
      requester: { email: 'anybody@sample-customers.example' },
    });
    await owner.call('PUT', `/tickets/${tickets[0]?.id}/drafts/answer`, { body: 'draft', version: 0 });
    await owner.call('POST', `/tickets/${tickets[0]?.id}/followers`, {});
    await answer(tickets[1]?.id ?? '');
    await house.drain();
    const stream = await readEvents(house, owner);
    await stream.until(() => stream.lastEventId() !== '');
    expect((await owner.call('DELETE', samples)).status).toBe(204);
    await stream.until(({ length }) => length > 0);
    stream.close();
    expect(stream.events.map(({ event }) => event)).toEqual(['reset']);
    const left = (await owner.call('GET', '/tickets?limit=100&archived=any')).body;
    expect(left.map(({ subject }: any) => subject)).toEqual(['Real']);
    expect(before.length).toBeGreaterThan(12);
    for (const id of [split.body.ticket.id, made.body.id, tickets[0]?.id])
      expect((await owner.call('GET', `/tickets/${id}`)).status).toBe(404);
    const { body: contacts } = await owner.call('GET', '/contacts');
    // One of the customers is the recipient of a real ticket's answer.
    const kept = new Set(JSON.stringify(contacts).match(/[\w.]+@sample-customers\.example/g));
    expect([...kept]).toEqual([conversations[0]?.from.email]);
    // The pending reply finds no ticket.
    await letReply();
    expect((await owner.call('DELETE', samples)).status).toBe(204);
    expect((await other.call('GET', '/tickets?limit=100')).body).toHaveLength(12);
    expect((await owner.call('POST', samples)).status).toBe(201);
  });

  test('deletes from every table that refers to tickets, messages or facts', async () => {
    const left = await house.app.db.rows<{ name: string }>(sql`
      select distinct k.conrelid::regclass::text as name
      from pg_constraint k
      where k.contype = 'f' and k.confdeltype <> 'c'
        and k.confrelid in ('tickets'::regclass, 'messages'::regclass, 'activity'::regclass)`);
    expect(left.map(({ name }) => name).sort()).toEqual([
      'activity',
      'attachments',
      'drafts',
      'mail_ids',
      'mailbox_sends',
      'merged_messages',
      'messages',
      'notifications',
      'raw_mails',
      'rule_runs',
      'sample_tickets',
      'thread_tokens',
      'ticket_followers',
      'ticket_merges',
      'ticket_participants',
      'tickets',
    ]);
  });
});
